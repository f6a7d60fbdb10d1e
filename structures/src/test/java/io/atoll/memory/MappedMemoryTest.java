package io.atoll.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass(name = "constant={0}")
@ValueSource(booleans = {false, true})
class MappedMemoryTest {

    private static final long BYTES = 4096;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment = arena.allocate(BYTES, Layouts.CACHE_LINE);
    private final LocalMemory memory;

    MappedMemoryTest(boolean constant) {
        MappedMemory mapped = new MappedMemory(segment);
        memory = constant ? mapped.asConstant() : mapped;
    }

    @AfterEach
    void free() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    @Test
    void atomicsReturnWhatWasThere() {
        memory.setVolatile(8, 5);
        assertThat(memory.getAndAdd(8, 2)).isEqualTo(5);
        assertThat(memory.compareAndExchange(8, 6, 9)).isEqualTo(7);
        assertThat(memory.getVolatile(8)).isEqualTo(7);
        assertThat(memory.compareAndExchange(8, 7, 9)).isEqualTo(7);
        assertThat(memory.getAndBitwiseOr(8, 6)).isEqualTo(9);
        assertThat(memory.getAcquire(8)).isEqualTo(15);
    }

    /** The lengths lie on both sides of the one from which the JDK copies. */
    @ParameterizedTest
    @ValueSource(longs = {8, 64, 248, 256, 1024})
    void whatIsStoredIsLoadedAndNothingBesideItIsTouched(long bytes) {
        segment.fill((byte) -1);
        MemorySegment words = MemorySegment.ofArray(new long[256]);
        for (int at = 0; at < bytes; at += Long.BYTES) {
            words.set(ValueLayout.JAVA_LONG, 16 + at, at + 1);
        }
        memory.store(512, words, 16, bytes);

        MemorySegment loaded = MemorySegment.ofArray(new long[256]);
        memory.load(512, loaded, 24, bytes);
        assertThat(loaded.asSlice(24, bytes).mismatch(words.asSlice(16, bytes))).isEqualTo(-1);
        assertThat(loaded.get(ValueLayout.JAVA_LONG, 24 + bytes)).isZero();
        assertThat(memory.get(504)).isEqualTo(-1);
        assertThat(memory.get(512 + bytes)).isEqualTo(-1);
    }

    @Test
    void partsOfWordsAreRefused() {
        MemorySegment words = MemorySegment.ofArray(new long[8]);
        assertThatIllegalArgumentException().isThrownBy(() -> memory.load(4, words, 0, 8))
                .withMessage("whole words only: offset=4 bytes=8");
        assertThatIllegalArgumentException().isThrownBy(() -> memory.store(8, words, 0, 12))
                .withMessage("whole words only: offset=8 bytes=12");
    }

    @Test
    void whatLiesBesideTheSegmentIsNotReached() {
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> memory.getVolatile(BYTES));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> memory.setRelease(-8, 1));
    }

    @Test
    void memoryThatWasGivenBackIsNotReached() {
        arena.close();
        assertThatIllegalStateException().isThrownBy(() -> memory.getAndAdd(8, 1))
                .withMessage("this process has given the memory back, by leaving its world: bytes=4096");
        assertThatIllegalStateException().isThrownBy(() -> memory.view(8, 8))
                .withMessage("this process has given the memory back, by leaving its world: bytes=4096");
    }

    @Test
    void memoryThatWasToldWhyFailsWithThatOnceItIsClosed() {
        MappedMemory mapped = new MappedMemory(segment);
        List<LocalMemory> all = List.of(mapped, mapped.asConstant());
        mapped.refuseWith(_ -> new UnsupportedOperationException("withdrawn"));
        assertThat(all).allSatisfy(each -> assertThat(each.getAcquire(8)).isZero());
        arena.close();
        assertThat(all).allSatisfy(each -> assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> each.setRelease(8, 1))
                .withMessage("withdrawn"));
        assertThat(all).allSatisfy(each -> assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> each.view(8, 8))
                .withMessage("withdrawn"));
    }

    @Test
    void eachConstantIsOfOneSegmentAlone() {
        LocalMemory one = new MappedMemory(segment).asConstant();
        LocalMemory other = new MappedMemory(arena.allocate(2 * BYTES, Layouts.CACHE_LINE)).asConstant();
        memory.setVolatile(8, 5);
        assertThat(one.getAndSet(8, 6)).isEqualTo(5);
        assertThat(memory.getVolatile(8)).isEqualTo(6);
        assertThat(other.getVolatile(8)).isZero();
        assertThat(other.size()).isEqualTo(2 * BYTES);
        assertThat(one.view(8, 8).address()).isEqualTo(segment.address() + 8);
    }

    @Test
    void aSegmentThatWouldShareACacheLineIsRefused() {
        MemorySegment crooked = segment.asSlice(8);
        assertThatIllegalArgumentException().isThrownBy(() -> new MappedMemory(crooked))
                .withMessage("a segment begins at a cache line: address=" + crooked.address());
    }
}
