package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After a fence nothing of the rank reaches the segment any more: those who repair what it held rely on that. */
@Timeout(180)
class FenceTest {

    private static final WorldIdentity WORLD = new WorldIdentity("tcp-fence", 2);
    private static final long WORD = SegmentHeader.size(WORLD.size());
    private static final int THREADS = 3;

    @TempDir
    private Path folder;

    private Tcp settings() {
        return new Tcp(new SharedMemory(folder, false)).withoutSharedMemory();
    }

    /** An owner that only closes connections, and does not wait for the threads that serve them. */
    private static final class Hasty extends TcpAttachment {

        private final int mostThreads;

        private Hasty(Tcp settings, Attachment host, int mostThreads) {
            super(settings, WORLD, host);
            this.mostThreads = mostThreads;
        }

        @Override
        Listener listen(Tcp tcp, WorldIdentity world, int rank, int incarnation, LocalMemory segment, Keys keys,
                @Nullable Encryption encryption) throws IOException {
            return new Listener(tcp, world, rank, incarnation, segment, keys, encryption, mostThreads) {
                @Override
                void revoke(Serving serving) throws IOException {
                    serving.abandon();
                }
            };
        }
    }

    /** Returns whether the word has changed after the fence had returned. */
    private boolean movesAfterAFence(boolean hasty, int mostThreads) throws Exception {
        Tcp settings = settings();
        Attachment host = settings.segments().attach(WORLD, OptionalInt.of(0), 64 << 10);
        TcpAttachment opening = hasty
                ? new Hasty(settings, host, mostThreads)
                : new Looped(settings, WORLD, host, mostThreads);
        try (Attachment owner = opening.open();
                Attachment caller = settings.attach(WORLD, OptionalInt.of(1), 64 << 10)) {
            owner.connect(1, caller.incarnation(), caller.address());
            caller.connect(0, owner.incarnation(), owner.address());
            AtomicBoolean isOver = new AtomicBoolean();
            List<Thread> threads = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                threads.add(Thread.ofPlatform().start(() -> writeUntilFenced(caller, isOver)));
            }
            LocalMemory segment = owner.fabric().local();
            await().until(() -> segment.getAcquire(WORD) > 100);
            owner.fence(1);
            long fenced = segment.getVolatile(WORD);
            boolean moved = false;
            long untilNanos = System.nanoTime() + 20_000_000;
            while (System.nanoTime() < untilNanos) {
                moved |= segment.getVolatile(WORD) != fenced;
            }
            isOver.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
            return moved;
        }
    }

    /** Keeps as much under way as there is room for: nobody waits for a write. */
    private static void writeUntilFenced(Attachment caller, AtomicBoolean isOver) {
        Fabric fabric = caller.fabric();
        try {
            for (long value = 1; !isOver.get(); value++) {
                fabric.writeWord(0, WORD, value);
            }
        } catch (RankUnreachableException fenced) {
            assertThat(fenced.rank()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Listener.MOST_THREADS, 1, 0})
    void nothingMovesAfterAFence(int mostThreads) throws Exception {
        for (int round = 0; round < 20; round++) {
            assertThat(movesAfterAFence(false, mostThreads)).as("round %d", round).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Listener.MOST_THREADS, 0})
    void aFenceThatDoesNotWaitForTheServingThreadIsFoundOut(int mostThreads) throws Exception {
        int found = 0;
        for (int round = 0; round < 200 && found == 0; round++) {
            found += movesAfterAFence(true, mostThreads) ? 1 : 0;
        }
        assertThat(found).as("rounds in which something moved").isPositive();
    }

    /** The thread that serves the rank waits for it to read, in the middle of an answer. */
    @ParameterizedTest
    @ValueSource(ints = {Listener.MOST_THREADS, 0})
    void aFenceEndsAConnectionWhoseRankDoesNotReadItsAnswers(int mostThreads) throws Exception {
        try (TcpRanks ranks = new TcpRanks(folder, tcp -> tcp, mostThreads);
                RawRank rank = new RawRank(ranks.attachment(1))) {
            assertThat(rank.greet(TcpRanks.WORLD, 0, 1)).isTrue();
            Thread sender = rank.askUntilNothingMoves();
            ranks.attachment(1).fence(0);
            assertThat(ranks.attachment(1).isFenced(0, 1, 1)).isTrue();
            sender.join();
        }
    }
}
