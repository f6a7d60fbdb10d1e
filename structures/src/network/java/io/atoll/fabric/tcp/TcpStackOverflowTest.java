package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.StackRoom;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a stack that overflows at each depth of a verb. The thread learns of the overflow. No lane is left without a
 * reader: another thread that uses the lane is answered, or learns that the connection broke. The stack overflows
 * before a lock is taken, not while it is held: there might be no room to release it.
 */
@Tag("nightly") // The number of depths, and so the time that the test takes, depends on what is compiled.
@Timeout(900)
@Tag("network")
class TcpStackOverflowTest {

    private static final long WORD = TcpRanks.FREE;
    private static final long OTHER_WORD = WORD + Long.BYTES;
    private static final int STACK_BYTES = 256 << 10;
    private static final int WARM_UP = 50; // verbs: code that is not compiled overflows at more places
    private static final int DESCENTS = 2;
    private static final int MOST_DESCENTS = 24;
    private static final int ENOUGH = 20; // successive depths without an overflow
    private static final int MOST_TRIES = 20; // to connect again
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    // Methods that run within the lock of a lane or of its channel.
    private static final Set<String> LOCKED = Set.of("add", "send", "select", "readAll");
    private static final String ENGINE = "sun.security.ssl.";

    private enum Kind {
        WORD_PLAIN(1), BATCH_PLAIN(1), WORD_ENCRYPTED(6); // connecting again takes longer

        private final int depthsBetween;

        Kind(int depthsBetween) {
            this.depthsBetween = depthsBetween;
        }
    }

    /** Calls itself until the stack is full, or uses the fabric at one depth. */
    private static final class Descent {

        private final Fabric fabric;
        private final @Nullable Batch batch;
        private int useAt = Integer.MAX_VALUE; // a depth
        private int deepest;
        private long done;
        private long overflown;
        private final List<StackOverflowError> withinLocks = new ArrayList<>();

        private Descent(Fabric fabric, boolean inBatches) {
            this.fabric = fabric;
            this.batch = inBatches ? fabric.newBatch(Long.BYTES) : null;
        }

        private void addOne() {
            Batch own = batch;
            if (own == null) {
                fabric.getAndAdd(1, WORD, 1);
            } else {
                own.getAndAdd(1, WORD, 1);
                own.complete();
            }
        }

        private void descend(int depth) {
            deepest = depth;
            if (depth < useAt) {
                descend(depth + 1);
            } else {
                addOne();
            }
        }

        /**
         * Takes more of the stack than {@link #descend}, so each descent reaches the end of the stack at another place.
         */
        private long descendBy(int steps, long one, long two, long three) {
            if (steps > 0) {
                return descendBy(steps - 1, two, three, one) + one;
            }
            descend(0);
            return one;
        }

        /**
         * Notes an overflow within locks. The engine's own frames may take more stack than was checked for; after an
         * error no thread uses the engine again.
         */
        private void noteIfWithinLocks(StackOverflowError full) {
            List<StackTraceElement> frames = List.of(full.getStackTrace());
            boolean isForeseen = frames.stream()
                    .map(StackTraceElement::getClassName)
                    .anyMatch(name -> name.equals(StackRoom.class.getName()) || name.startsWith(ENGINE));
            if (!isForeseen && IntStream.range(0, frames.size()).anyMatch(index -> isWithinLocks(frames, index))) {
                withinLocks.add(full);
            }
        }

        private static boolean isWithinLocks(List<StackTraceElement> frames, int index) {
            StackTraceElement frame = frames.get(index);
            boolean isLocking = frame.getClassName().equals(ReentrantLock.class.getName()) && index + 1 < frames.size()
                    && frames.get(index + 1).getClassName().startsWith("io.atoll.");
            return isLocking || frame.getClassName().equals(TcpLane.class.getName())
                    && LOCKED.contains(frame.getMethodName());
        }

        private void run(int steps) {
            try {
                descendBy(steps, 1, 2, 3);
                done++;
            } catch (StackOverflowError full) {
                overflown++;
                noteIfWithinLocks(full);
            }
        }
    }

    private static Tcp settings(Tcp tcp, Kind kind) {
        Tcp oneLane = tcp.lanes(1);
        return kind == Kind.WORD_ENCRYPTED
                ? Encrypted.settings(oneLane)
                : oneLane;
    }

    @ParameterizedTest
    @EnumSource
    void aLaneIsNeverLeftToNobody(Kind kind, @TempDir Path folder) throws Exception {
        try (TcpRanks ranks = new TcpRanks(folder, tcp -> settings(tcp, kind))) {
            Fabric fabric = ranks.fabric(0);
            Descent descent = new Descent(fabric, kind == Kind.BATCH_PLAIN);
            run("warm-up", () -> {
                for (int call = 0; call < WARM_UP; call++) {
                    descent.addOne();
                }
            });
            descent.done = WARM_UP;
            long overflown = 0;
            int descents = 0; // descents in which the stack has overflown
            for (int number = 0; number < MOST_DESCENTS && descents < DESCENTS; number++) {
                int steps = number % DESCENTS;
                int deepest = deepest(descent); // measured again: it changes when the code is compiled
                descent.overflown = 0;
                int rounds = 0; // successive rounds without an overflow
                for (int depth = deepest; depth > 0 && rounds < ENOUGH; depth -= kind.depthsBetween) {
                    long before = descent.overflown;
                    descent.useAt = depth;
                    run("steps=" + steps + " depth=" + depth, () -> descent.run(steps));
                    run("another after steps=" + steps + " depth=" + depth, () -> addByAnotherThread(fabric));
                    rounds = descent.overflown > before ? 0 : rounds + 1;
                }
                overflown += descent.overflown;
                descents += descent.overflown > 0 ? 1 : 0;
            }
            assertThat(descents).isEqualTo(DESCENTS);
            assertThat(descent.withinLocks).as("the stack overflowed within locks").isEmpty();
            assertThat(ranks.fabric(1).local().getVolatile(WORD)).isBetween(descent.done, descent.done + overflown);
        }
    }

    private static int deepest(Descent descent) throws InterruptedException {
        descent.useAt = Integer.MAX_VALUE;
        run("depth", () -> descent.run(0));
        return descent.deepest;
    }

    /** Adds by another thread. Either the lane works, or the thread learns that it does not, and connects again. */
    private static void addByAnotherThread(Fabric fabric) {
        for (int attempt = 1;; attempt++) {
            try {
                fabric.getAndAdd(1, OTHER_WORD, 1);
                return;
            } catch (RankUnreachableException told) {
                if (attempt == MOST_TRIES) {
                    throw told;
                }
            }
        }
    }

    /** Runs the work in a thread with a small stack, which must end. */
    private static void run(String name, Runnable work) throws InterruptedException {
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        Thread thread = Thread.ofPlatform()
                .name(name)
                .daemon()
                .stackSize(STACK_BYTES)
                .uncaughtExceptionHandler((_, thrown) -> failure.set(thrown))
                .start(work);
        if (!thread.join(PATIENCE)) {
            throw new AssertionError("nobody goes on: " + name + " at=" + Arrays.toString(thread.getStackTrace()));
        }
        assertThat(failure.get()).as(name).isNull();
    }
}
