package io.atoll.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.atoll.AllocatedBytes;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ImmediateBatchTest {

    private static final long FAR = Batch.SMALL_BUFFER_BYTES;

    private final MappedMemory segment = new MappedMemory(Arena.ofAuto().allocate(64 << 10, Layouts.CACHE_LINE));
    private final ImmediateBatch batch = ofVirtualThread();

    private ImmediateBatch ofVirtualThread() {
        return CompletableFuture
                .supplyAsync(() -> ImmediateBatch.ofThread((_, _) -> segment), task -> Thread.ofVirtual().start(task))
                .join();
    }

    @Test
    void aVirtualThreadHasAWholeBufferAsLongAsItNeedsMore() {
        assertThat(batch.buffer(8).byteSize()).isEqualTo(Batch.SMALL_BUFFER_BYTES);
        assertThat(batch.memory(8).size()).isEqualTo(Batch.SMALL_BUFFER_BYTES);
        assertThat(batch.buffer().byteSize()).isEqualTo(Batch.THREAD_BUFFER_BYTES);
        assertThat(batch.memory().size()).isEqualTo(Batch.THREAD_BUFFER_BYTES);
        batch.close();
        assertThat(batch.buffer(8).byteSize()).isEqualTo(Batch.SMALL_BUFFER_BYTES);
        assertThat(batch.memory(8).size()).isEqualTo(Batch.SMALL_BUFFER_BYTES);
        batch.close();
        assertThat(batch.buffer(8).byteSize()).isEqualTo(Batch.SMALL_BUFFER_BYTES);
    }

    @Test
    void aPlatformThreadKeepsTheWholeBufferThatItHasOnceNeeded() {
        ImmediateBatch kept = ImmediateBatch.ofThread((_, _) -> segment);
        assertThat(kept.buffer(8).byteSize()).isEqualTo(Batch.SMALL_BUFFER_BYTES);
        long address = kept.buffer().address();
        kept.close();
        assertThat(kept.buffer(8).byteSize()).isEqualTo(Batch.THREAD_BUFFER_BYTES);
        assertThat(kept.buffer().address()).isEqualTo(address);
    }

    @Test
    void whatLiesInTheBufferStaysThereWhileItGrows() {
        segment.setRelease(64, 5);
        batch.setWord(8, 7);
        batch.read(0, 64, FAR, 8);
        batch.complete();
        assertThat(batch.word(8)).isEqualTo(7);
        assertThat(batch.word(FAR)).isEqualTo(5);
        batch.setWord(FAR + 8, 9);
        batch.write(0, 128, FAR + 8, 8);
        batch.complete();
        assertThat(segment.getAcquire(128)).isEqualTo(9);
    }

    @Test
    void eachWayToUseMoreThanTheSmallBufferMakesItGrow() {
        batch.setWord(FAR, 1);
        assertThat(batch.word(FAR)).isEqualTo(1);
        batch.close();
        batch.write(0, 0, FAR - 8, 16);
        batch.close();
        batch.read(0, 0, FAR - 8, 16);
        batch.close();
        batch.buffer(FAR + 1).set(ValueLayout.JAVA_LONG, FAR, 3);
        assertThat(batch.word(FAR)).isEqualTo(3);
        assertThatThrownBy(() -> batch.read(0, 0, Batch.THREAD_BUFFER_BYTES, 8))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void aBatchOfItsOwnIsAsLargeAsItWasAskedFor() {
        ImmediateBatch own = new ImmediateBatch((_, _) -> segment, 64);
        assertThat(own.buffer().byteSize()).isEqualTo(64);
        assertThatThrownBy(() -> own.read(0, 0, 64, 8)).isInstanceOf(IndexOutOfBoundsException.class);
        own.close();
        assertThat(own.buffer().byteSize()).isEqualTo(64);
    }

    @Test
    void growingAndClosingAllocatesNextToNothing() {
        long bytes = AllocatedBytes.of(() -> {
            for (int round = 0; round < 10_000; round++) {
                batch.read(0, 0, FAR, 8);
                batch.close();
            }
        });
        assertThat(bytes / 10_000).isLessThanOrEqualTo(40); // the view of the whole buffer
    }

    /** A thread has several batches, and a process may have 10,000 threads. */
    @Test
    void aBatchWithAFewAtomicsTakesLittleOfTheHeap() {
        int batches = 1000;
        List<ImmediateBatch> warm = batches(batches);
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        List<ImmediateBatch> made = batches(batches);
        assertThat((threads.getCurrentThreadAllocatedBytes() - before) / batches).isLessThan(1_500);
        assertThat(warm).hasSameSizeAs(made);
    }

    private List<ImmediateBatch> batches(int count) {
        return Stream.generate(() -> {
            ImmediateBatch few = new ImmediateBatch((_, _) -> segment, Long.BYTES);
            few.guard(few.compareAndExchange(0, 0, 0, 0));
            few.complete();
            return few;
        }).limit(count).toList();
    }

    @Test
    void aBatchHasRoomForItsMostAtomics() {
        for (int round = 0; round < 2; round++) {
            for (int index = 0; index < Batch.ATOMICS; index++) {
                segment.set(8L * index, index % 2);
                assertThat(batch.compareAndExchange(0, 8L * index, 0, 5)).isEqualTo(index);
                batch.guard(index);
                batch.unguard();
            }
            assertThatThrownBy(() -> batch.getAndAdd(0, 0, 1)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("maximum=64");
            batch.complete();
            for (int index = 0; index < Batch.ATOMICS; index++) {
                assertThat(batch.succeeded(index)).isEqualTo(index % 2 == 0);
            }
        }
    }
}
