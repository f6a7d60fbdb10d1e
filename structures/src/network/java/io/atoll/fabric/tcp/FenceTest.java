package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.BlockedLogger;
import io.atoll.Wrapper;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.PeerConnections;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that after a fence nothing of the rank reaches the segment any more. Threads that repair what the rank held
 * rely on that.
 */
@Timeout(180)
@Tag("network")
class FenceTest {

    private static final WorldIdentity WORLD = new WorldIdentity("tcp-fence", 2);
    private static final long WORD = SegmentHeader.size(WORLD.maxSize());
    private static final int THREADS = 3;

    @TempDir
    private Path folder;

    private Tcp settings() {
        return new Tcp(new SharedMemory(folder, false)).withoutSharedMemory();
    }

    /** An owner that stops when it stores this word, until the test releases it. */
    private final class Held extends TcpAttachment {

        private final boolean isHasty;
        private final int mostThreads;
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        /**
         * @param isHasty true if the owner only closes connections, and does not wait for the threads that serve them
         */
        private Held(boolean isHasty, int mostThreads) {
            super(settings(), WORLD, settings().segments().attach(WORLD, OptionalInt.of(0), 64 << 10));
            this.isHasty = isHasty;
            this.mostThreads = mostThreads;
        }

        @Override
        Listener listen(Tcp tcp, WorldIdentity world, int rank, int incarnation, LocalMemory segment, Keys keys,
                @Nullable Encryption encryption) throws IOException {
            LocalMemory holding = Wrapper.around(segment, LocalMemory.class, call -> {
                if (call.isOf("store") && call.arguments()[0].equals(WORD)) {
                    reached.countDown();
                    released.await();
                }
                return call.proceed();
            });
            return new Listener(tcp, world, rank, incarnation, holding, keys, encryption, mostThreads) {
                @Override
                void revoke(AcceptedConnection connection) throws IOException {
                    if (isHasty) {
                        connection.abandon();
                    } else {
                        super.revoke(connection);
                    }
                }
            };
        }
    }

    /** Returns true if the word has changed after the fence returned. */
    private boolean movesAfterAFence(int mostThreads) throws Exception {
        Tcp settings = settings();
        try (Attachment owner = Looped.attach(settings, WORLD, 0, 64 << 10, mostThreads);
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

    /** Keeps as many writes under way as there is room for, since no thread waits for a write. */
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
            assertThat(movesAfterAFence(mostThreads)).as("round %d", round).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Listener.MOST_THREADS, 0})
    void aFenceWaitsForTheWriteThatIsUnderWay(int mostThreads) throws Exception {
        assertThat(wordAfterAFence(false, mostThreads)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {Listener.MOST_THREADS, 0})
    void aFenceThatDoesNotWaitForTheServingThreadIsFoundOut(int mostThreads) throws Exception {
        assertThat(wordAfterAFence(true, mostThreads)).isZero();
    }

    /** Returns the word after the fence, with a write under way before it. It must not change any more. */
    private long wordAfterAFence(boolean isHasty, int mostThreads) throws Exception {
        Held opening = new Held(isHasty, mostThreads);
        try (Attachment owner = opening.open(); RawRank rank = rank(owner)) {
            rank.send(rank.request(Frame.WRITE, 8, WORD, 1));
            opening.reached.await();
            LocalMemory segment = owner.fabric().local();
            CompletableFuture<Long> fenced = CompletableFuture.supplyAsync(() -> {
                owner.fence(1);
                return segment.getVolatile(WORD);
            });
            if (isHasty) {
                fenced.join();
            } else {
                assertThatExceptionOfType(TimeoutException.class)
                        .isThrownBy(() -> fenced.get(200, TimeUnit.MILLISECONDS));
            }
            opening.released.countDown();
            long found = fenced.get(60, TimeUnit.SECONDS);
            await().until(() -> segment.getVolatile(WORD) == 1);
            return found;
        } finally {
            opening.released.countDown();
        }
    }

    /** Returns rank 1, which the owner has let in. */
    private static RawRank rank(Attachment owner) throws IOException {
        owner.connect(1, 1, Map.of("tcp.host", "localhost", "tcp.port", "1"));
        RawRank rank = new RawRank(owner);
        assertThat(rank.connect(WORLD, 1, 0)).isTrue();
        return rank;
    }

    /** One connection ends for a reason that is logged. The others are served by the same loop or by other threads. */
    @ParameterizedTest
    @ValueSource(ints = {Listener.MOST_THREADS, 0})
    void aFenceDoesNotWaitForALogger(int mostThreads) throws Exception {
        Tcp settings = settings();
        try (Attachment owner = Looped.attach(settings, WORLD, 0, 64 << 10, mostThreads);
                BlockedLogger logger = new BlockedLogger(Listener.class, WORLD.name())) {
            owner.connect(1, 1, Map.of("tcp.host", "localhost", "tcp.port", "1"));
            List<RawRank> connections = new ArrayList<>();
            for (int lane = 0; lane < PeerConnections.MOST_LANES; lane++) {
                RawRank connection = new RawRank(owner);
                assertThat(connection.connect(WORLD, 1, 0, lane)).isTrue();
                connection.receive(8);
                connections.add(connection);
            }
            RawRank malformed = connections.removeFirst();
            byte[] request = malformed.request(Frame.GET_AND_ADD, 8, WORD, 1);
            request[(int) Frame.BYTES] = 9;
            malformed.send(request);
            logger.awaitThread();
            for (RawRank other : connections) {
                other.send(other.request(Frame.GET_AND_ADD, 8, WORD, 1));
                other.answer();
            }
            CompletableFuture.runAsync(() -> owner.fence(1)).get(60, TimeUnit.SECONDS);
            assertThat(malformed.isClosed()).isTrue();
            assertThat(owner.fabric().local().getVolatile(WORD)).isEqualTo(connections.size());
            malformed.close();
            for (RawRank other : connections) {
                other.close();
            }
        }
    }

    /** The thread that serves the rank is in the middle of an answer, and waits until the rank reads. */
    @ParameterizedTest
    @ValueSource(ints = {Listener.MOST_THREADS, 0})
    void aFenceEndsAConnectionWhoseRankDoesNotReadItsAnswers(int mostThreads) throws Exception {
        try (TcpRanks ranks = new TcpRanks(folder, tcp -> tcp, mostThreads);
                RawRank rank = new RawRank(ranks.attachment(1))) {
            assertThat(rank.connect(TcpRanks.WORLD, 0, 1)).isTrue();
            Thread sender = rank.askUntilNothingMoves();
            ranks.attachment(1).fence(0);
            assertThat(ranks.attachment(1).isFenced(0, 1, 1)).isTrue();
            sender.join();
        }
    }
}
