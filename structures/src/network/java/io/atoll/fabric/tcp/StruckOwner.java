package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.interleaving.Strike;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * An owner whose threads meet an error at each of their steps, one after the other. After each error the rank whose
 * connection was struck either sees the connection end, or gets its answers. It can connect again. That waits for the
 * end of the former connection, as a fence does. It is served as before.
 */
final class StruckOwner implements Function<Path, String> {

    private static final String OWNER = "atoll-tcp-" + TcpRanks.WORLD.name() + "-1";
    private static final int MOST_STEPS = 2_000;
    private static final int MOST_ATTEMPTS = 6;

    private TcpRanks ranks;

    /** Returns the number of errors, by the threads that they struck. */
    @Override
    public String apply(Path folder) {
        int accepting = strikeEach(folder.resolve("accepting"), 1, OWNER::equals);
        int serving = strikeEach(folder.resolve("serving"), 1, name -> name.startsWith(OWNER + "-from-"));
        int offering = strikeEach(folder.resolve("offering"), 0, name -> name.startsWith(OWNER + "-from-"));
        int looping = strikeEach(folder.resolve("looping"), 0, name -> name.startsWith(OWNER + "-loop-"));
        return "accepting=" + accepting + " serving=" + serving + " offering=" + offering + " looping=" + looping;
    }

    private int strikeEach(Path folder, int mostThreads, Predicate<String> threads) {
        assertThat(folder.toFile().mkdir()).isTrue();
        try (TcpRanks connected = new TcpRanks(folder, tcp -> tcp, mostThreads)) {
            ranks = connected;
            assertThat(isServed()).isTrue();
            int step = 1;
            while (isStruckAt(step, threads)) {
                assertThat(++step).as("steps").isLessThan(MOST_STEPS);
            }
            assertThat(step).as("steps").isGreaterThan(2);
            boolean hasLoops = Thread.getAllStackTraces()
                    .keySet()
                    .stream()
                    .anyMatch(thread -> thread.getName().startsWith(OWNER + "-loop-"));
            assertThat(hasLoops).as("whether a place of a thread was lost").isEqualTo(mostThreads == 0);
            return step - 1;
        }
    }

    /** The second connection that is served has waited for the end of the first. */
    private boolean isStruckAt(int step, Predicate<String> threads) {
        try (Strike strike = new Strike(threads, step)) {
            int served = 0;
            for (int attempt = 0; attempt < MOST_ATTEMPTS && served < 2; attempt++) {
                served += isServed() ? 1 : 0;
            }
            assertThat(served).as("connections that are served, with an error at step %d", step).isEqualTo(2);
            return strike.isMade();
        }
    }

    /**
     * Connects as rank 0, always on the same lane. Returns true if the connection was served, and false if it was
     * closed.
     */
    private boolean isServed() {
        try (RawRank rank = new RawRank(ranks.attachment(1))) {
            rank.socket().setSoTimeout(60_000);
            if (!rank.connect(TcpRanks.WORLD, 0, 1)) {
                return false;
            }
            long before = word();
            rank.send(rank.request(Frame.GET_AND_ADD, 8, TcpRanks.FREE, 1));
            return rank.answer() == before && word() == before + 1;
        } catch (SocketTimeoutException late) {
            throw new AssertionError("neither served nor closed", late);
        } catch (IOException | RuntimeException closed) {
            return false;
        }
    }

    private long word() {
        return ranks.fabric(1).local().getVolatile(TcpRanks.FREE);
    }
}
