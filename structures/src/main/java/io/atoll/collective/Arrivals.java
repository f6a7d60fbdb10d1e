package io.atoll.collective;

import io.atoll.fabric.Backoff;
import io.atoll.memory.StackSafeLock;
import io.atoll.world.Participant;
import io.atoll.world.Waits;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalLong;

/** The broadcasts that have arrived in this rank's part of a window, and those that its user was told of. */
final class Arrivals {

    private static final int LOOKS_AT_THE_RANKS = 16;

    private final Participant self;
    private final Window window;
    private final StackSafeLock turn = new StackSafeLock();
    // the last number that awaitNext has returned, by the root's position; guarded by the turn
    private final long[] told;
    private Generation generation; // the generation that the numbers belong to; guarded by the turn

    Arrivals(Participant self, Window window) {
        this.self = self;
        this.window = window;
        this.told = new long[window.team().size()];
        this.generation = window.generation();
    }

    /** Returns how many broadcasts of the root have arrived in the present generation. */
    long received(int root) {
        return received(window.team().position(root), window.generation());
    }

    private long received(int position, Generation counted) {
        // acquire: pairs with the write of the word, behind the data, in Window.
        long word = self.endpoint().readWord(self.rank(), window.local(window.block().arrived(position)));
        long number = word - counted.number();
        return counted.isWhole() && number > 0 && number <= OngoingBroadcast.MOST ? number : 0;
    }

    OptionalLong awaitNext(int root, Duration timeout) throws InterruptedException {
        int position = window.team().position(root);
        turn.lockInterruptibly();
        try (Waits.Waiting _ = self.waits().begin("broadcast", root)) {
            Backoff backoff = new Backoff(self.endpoint().clock(), timeout);
            boolean inTime = true;
            while (true) {
                if (backoff.attempts() % LOOKS_AT_THE_RANKS == 0) {
                    refuseIfChanged();
                }
                long number = received(position, generation);
                if (number > told[position]) {
                    told[position] = number;
                    return OptionalLong.of(number);
                }
                if (!inTime) {
                    return OptionalLong.empty();
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException("interrupted while waiting for a broadcast: root=" + root);
                }
                inTime = backoff.pause();
            }
        } finally {
            turn.unlock();
        }
    }

    private void refuseIfChanged() {
        boolean known = window.look(); // false while the broadcaster has the turn
        Generation before = generation;
        Generation now = window.generation();
        if (now != before) {
            generation = now;
            Arrays.fill(told, 0);
            if (before.isWhole()) {
                window.requireSame(before, now);
            }
        }
        if (known) {
            window.requireWhole(now);
        }
    }
}
