package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Batch;
import io.atoll.fabric.StructureLocator;
import io.atoll.fabric.link.ConnectDeadline;
import io.atoll.fabric.link.FakeConnecting;
import io.atoll.fabric.link.PeerAddress;
import io.atoll.fabric.link.PeerConnections;
import io.atoll.fabric.link.ThreadLanes;
import io.atoll.failure.RankUnreachableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests, without a device, how a thread uses the registered memory that it keeps or borrows. */
@Timeout(180)
@ParameterizedClass
@ValueSource(booleans = {true, false})
@Tag("network")
class RdmaThreadContextTest {

    private static final int SLOTS = 128;
    private static final int WORDS = 1 << 14;

    @Parameter
    private boolean isVirtual;

    private final LoopbackRanks ranks = new LoopbackRanks(1, WORDS * 8L, 2 * SLOTS);
    private final MemorySegment segment = ranks.segment(0);
    private final AtomicLong registered = new AtomicLong();
    private final ThreadMemoryPool buffers = new ThreadMemoryPool(this::register, SLOTS);

    private Registered register(long bytes) {
        registered.addAndGet(bytes);
        return new Registered(Arena.ofAuto().allocate(bytes, 64).fill((byte) -1), 7);
    }

    private RdmaThreadContext rdmaThreadContext() {
        return new RdmaThreadContext(ranks, new ThreadLanes<>(0, ranks.size()), buffers);
    }

    /** An action of a thread on its own caller. */
    private interface Work {
        void run(RdmaThreadContext rdmaThreadContext) throws Exception;
    }

    private void inThread(Work work) throws Exception {
        try (ExecutorService executor = isVirtual
                ? Executors.newVirtualThreadPerTaskExecutor()
                : Executors.newSingleThreadExecutor()) {
            Future<?> running = executor.submit(() -> {
                work.run(rdmaThreadContext());
                return true;
            });
            running.get(60, TimeUnit.SECONDS);
        }
    }

    private void number() {
        IntStream.range(0, WORDS).forEach(index -> segment.setAtIndex(ValueLayout.JAVA_LONG, index, index));
    }

    private long word(int index) {
        return segment.getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    @Test
    void aBatchHasMoreVerbsThanSlots() throws Exception {
        number();
        inThread(rdmaThreadContext -> {
            Batch batch = rdmaThreadContext.batch();
            for (int index = 0; index < 200; index++) {
                batch.read(0, index * 80L, index * 8L, 8);
            }
            batch.complete();
            for (int index = 0; index < 200; index++) {
                assertThat(batch.word(index * 8L)).isEqualTo(index * 10L);
            }
        });
    }

    @Test
    void aBufferThatGrowsInTheMiddleKeepsWhatWasThere() throws Exception {
        number();
        inThread(rdmaThreadContext -> {
            Batch batch = rdmaThreadContext.batch();
            batch.setWord(0, 4711);
            batch.read(0, 80, 8, 8);
            batch.write(0, 0, 0, 8);
            batch.read(0, 1 << 12, 4 << 10, 28 << 10); // outside of what a virtual thread keeps
            batch.read(0, 0, 16, 8);
            batch.complete();
            assertThat(batch.word(0)).isEqualTo(4711);
            assertThat(batch.word(8)).isEqualTo(10);
            assertThat(batch.word(16)).isEqualTo(4711);
            assertThat(batch.word(4 << 10)).isEqualTo((1 << 12) / 8);
            assertThat(batch.word((32 << 10) - 8)).isEqualTo(((1 << 12) + (28 << 10)) / 8 - 1);
            batch.close();
            assertThat(batch.buffer(8).byteSize()).isEqualTo(isVirtual ? 2 << 10 : 32 << 10);
        });
    }

    @Test
    void aBatchHasAsManyAtomicsAsAnyOther() throws Exception {
        inThread(rdmaThreadContext -> {
            Batch batch = rdmaThreadContext.batch();
            for (int index = 0; index < Batch.ATOMICS; index++) {
                int result = index % 2 == 0
                        ? batch.getAndAdd(0, index * 8L, index + 1)
                        : batch.compareAndExchange(0, index * 8L, 0, index + 1);
                assertThat(result).isEqualTo(index);
            }
            assertThatIllegalStateException().isThrownBy(() -> batch.getAndAdd(0, 0, 1))
                    .withMessageContaining("maximum=64");
            batch.complete();
            batch.getAndAdd(0, 8, 1);
            batch.getAndAdd(0, 16, 1);
            batch.complete();
            assertThat(batch.result(0)).isEqualTo(2);
            assertThat(batch.result(1)).isEqualTo(3);
        });
        assertThat(LongStream.range(0, Batch.ATOMICS).map(index -> word((int) index)).sum()).isEqualTo(64 * 65 / 2 + 2);
    }

    @Test
    void wordsAreNotOverwrittenBeforeTheyHaveArrived() throws Exception {
        inThread(rdmaThreadContext -> {
            Batch batch = rdmaThreadContext.batch();
            for (int index = 0; index < 300; index++) {
                batch.writeWord(0, index * 8L, index + 1);
            }
            batch.complete();
            for (int index = 300; index < 1300; index++) {
                rdmaThreadContext.writeWord(0, index * 8L, index + 1);
            }
            rdmaThreadContext.single().emptied().read(0, 0, 0, 8);
            rdmaThreadContext.single().complete();
        });
        for (int index = 0; index < 1300; index++) {
            assertThat(word(index)).isEqualTo(index + 1);
        }
    }

    @Test
    void wordsOfAnyNumberAreReadAndWritten() throws Exception {
        for (long bytes : new long[]{8, 64, 72, 128, 136, 32 << 10, (32 << 10) + 8, 100 << 10}) {
            segment.fill((byte) 0);
            MemorySegment source = MemorySegment.ofArray(LongStream.range(1, bytes / 8 + 3).toArray());
            inThread(rdmaThreadContext -> {
                rdmaThreadContext.write(0, 16, source, 8, bytes);
                source.asSlice(8, bytes).fill((byte) 9); // the source may be used again
                MemorySegment target = MemorySegment.ofArray(new long[(int) (bytes / 8 + 1)]);
                rdmaThreadContext.read(0, 16, target, 8, bytes);
                for (long index = 1; index <= bytes / 8; index++) {
                    assertThat(target.getAtIndex(ValueLayout.JAVA_LONG, index)).isEqualTo(index + 1);
                }
                rdmaThreadContext.writeWord(0, 16, 5);
                rdmaThreadContext.read(0, 16, target, 0, 8);
                assertThat(target.getAtIndex(ValueLayout.JAVA_LONG, 0)).isEqualTo(5);
            });
            assertThat(word((int) (2 + bytes / 8))).as("behind %d bytes", bytes).isZero();
        }
    }

    /** The verbs behind the lost writes must not arrive by another connection. */
    @Test
    void aBatchWhoseFirstPartIsLostSaysSo() throws Exception {
        inThread(rdmaThreadContext -> {
            Batch batch = rdmaThreadContext.batch();
            for (int index = 0; index < SLOTS + 1; index++) {
                batch.write(0, index * 8L, 0, 8);
            }
            ranks.wire(0).breakDown();
            assertThatThrownBy(batch::complete).isInstanceOf(RankUnreachableException.class);
            assertThat(ranks.lane(0, "read", 0, 8).hasLostWrites()).isTrue();
        });
    }

    @Test
    void threadsShareWholeBuffersAndGiveThemBack() throws Exception {
        number();
        int threads = 300;
        CountDownLatch done = new CountDownLatch(threads);
        try (ExecutorService executor = isVirtual
                ? Executors.newVirtualThreadPerTaskExecutor()
                : Executors.newFixedThreadPool(threads)) {
            Future<?>[] running = new Future<?>[threads];
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                running[thread] = executor.submit(() -> {
                    try {
                        RdmaThreadContext rdmaThreadContext = rdmaThreadContext();
                        Batch batch = rdmaThreadContext.batch();
                        batch.read(0, number * 8L, 30 << 10, 8);
                        batch.complete();
                        assertThat(batch.word(30 << 10)).isEqualTo(number);
                        batch.close();
                        rdmaThreadContext.read(0, 0, MemorySegment.ofArray(new long[1000]), 0, 8000);
                    } finally {
                        done.countDown();
                    }
                    done.await();
                    return true;
                });
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
        long shared = (buffers.whole().most() + buffers.transfers().most()) * Batch.THREAD_BUFFER_BYTES;
        // Each thread leaves a part of a registration that is too small for another thread.
        assertThat(registered.get()).isLessThan((threads * kept() + shared) * 5 / 4 + (1 << 20));
    }

    /** The total is less than 64 MB, with what the threads keep for their own segment if the processor may use it. */
    @Test
    void tenThousandThreadsKeepLittle() {
        if (isVirtual) {
            long shared = (buffers.whole().most() + buffers.transfers().most()) * Batch.THREAD_BUFFER_BYTES;
            assertThat(10_000 * (kept() + Batch.SMALL_BUFFER_BYTES) + shared).isLessThan(64 << 20);
        }
    }

    @Test
    void whatAThreadKeptServesAnotherWhenItHasEnded() {
        await().atMost(Duration.ofSeconds(90)).until(() -> {
            System.gc();
            long before = registered.get();
            // As many threads as one registration has room for. It needs another registration unless ended threads give
            // memory back.
            for (long thread = 0; thread < Math.max(1, (256 << 10) / kept()); thread++) {
                inThread(rdmaThreadContext -> rdmaThreadContext.writeWord(0, 8, 1));
            }
            return registered.get() == before;
        });
    }

    /** A collected thread-local leaves its value in the thread until others need its place. */
    @Test
    void aThreadThatGoesOnKeepsNoFabricThatNobodyUses() throws Exception {
        inThread(_ -> {
            WeakReference<RdmaNetwork> unused = usedOnce();
            await().pollInSameThread().atMost(Duration.ofSeconds(50)).until(() -> {
                System.gc();
                return unused.refersTo(null);
            });
        });
    }

    private WeakReference<RdmaNetwork> usedOnce() {
        var network = new RdmaNetwork(new PeerConnections<>(new Nowhere(), 1, new StructureLocator()));
        var threadContexts = RdmaFabric.callers(network, 1, buffers);
        assertThat(threadContexts.caller()).isSameAs(threadContexts.caller());
        return new WeakReference<>(network);
    }

    /** Never connects. */
    private static final class Nowhere extends FakeConnecting<QueuePairLane> {

        @Override
        public QueuePairLane connect(PeerAddress peerAddress, int lane, ConnectDeadline connectDeadline, String verb,
                long offset) {
            throw new RankUnreachableException("nobody is there", verb, peerAddress.rank(), offset);
        }
    }

    private long kept() {
        Thread owner = isVirtual ? Thread.ofVirtual().unstarted(() -> {}) : Thread.ofPlatform().unstarted(() -> {});
        return buffers.of(owner).pool().bufferBytes();
    }
}
