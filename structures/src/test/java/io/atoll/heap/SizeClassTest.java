package io.atoll.heap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SizeClassTest {

    @Test
    void theLayoutIsPinned() {
        SizeClass sizeClass = SizeClass.all(65_536)[0];

        assertThat(sizeClass.objectBytes()).isEqualTo(64);
        assertThat(sizeClass.objects()).isEqualTo(908);
        assertThat(sizeClass.groups()).isEqualTo(15);
        assertThat(sizeClass.freeOffset(0)).isZero();
        assertThat(sizeClass.freeOffset(14)).isEqualTo(14 * 8);
        assertThat(sizeClass.markOffset(0)).isEqualTo(15 * 8);
        assertThat(sizeClass.markOffset(907)).isEqualTo(15 * 8 + 907 * 8);
        assertThat(sizeClass.headerBytes()).isEqualTo(15 * 8 + 908 * 8);
        assertThat(sizeClass.objectOffset(0)).isEqualTo(7_424);
        assertThat(sizeClass.objectOffset(907)).isEqualTo(7_424 + 907 * 64);
        assertThat(sizeClass.groupBits(0)).isEqualTo(-1);
        assertThat(sizeClass.groupBits(14)).isEqualTo((1L << 12) - 1);
    }

    @Test
    void thereAreFourSizesToADoubling() {
        assertThat(SizeClass.all(4096)).extracting(SizeClass::objectBytes)
                .containsExactly(64L, 128L, 192L, 256L, 320L, 384L, 448L, 512L, 640L, 768L, 896L, 1024L);
        assertThat(largest(65_536)).isEqualTo(16_384);
        assertThat(largest(64 << 20)).isEqualTo(1 << 20);
        assertThat(SizeClass.all(65_536)).hasSize(28);
        assertThat(SizeClass.all(64 << 20)).hasSize(52).hasSizeLessThan(HeapArea.HINTS);
    }

    private static long largest(long slabBytes) {
        return List.of(SizeClass.all(slabBytes)).getLast().objectBytes();
    }

    @Test
    void anObjectWastesLessThanAUnitOrAFifth() {
        SizeClass[] classes = SizeClass.all(65_536);
        for (long bytes = 1; bytes <= 16_384; bytes++) {
            SizeClass sizeClass = classes[SizeClass.indexFor(bytes)];
            long wasted = sizeClass.objectBytes() - bytes;

            assertThat(wasted).isNotNegative();
            assertThat(wasted < 64 || wasted * 5 < sizeClass.objectBytes()).as("%s bytes", bytes).isTrue();
        }
        assertThat(SizeClass.indexFor(16_385)).isEqualTo(classes.length);
        assertThat(SizeClass.indexFor(Long.MAX_VALUE)).isGreaterThan(classes.length);
    }

    @Test
    void objectsFillTheirSlabAndDoNotOverlapItsWords() {
        for (long slabBytes = 256; slabBytes <= 8 << 20; slabBytes *= 2) {
            for (SizeClass sizeClass : SizeClass.all(slabBytes)) {
                long end = sizeClass.objectOffset(sizeClass.objects());

                assertThat(sizeClass.objects()).isPositive();
                assertThat(sizeClass.markOffset(0)).isEqualTo(sizeClass.freeOffset(sizeClass.groups()));
                assertThat(sizeClass.headerBytes()).isLessThanOrEqualTo(sizeClass.objectOffset(0));
                assertThat(sizeClass.objectOffset(0) % 64).isZero();
                assertThat(end).isLessThanOrEqualTo(slabBytes);
                assertThat(end + sizeClass.objectBytes() + 64 + 16).as("room for no other object")
                        .isGreaterThan(slabBytes);
            }
        }
    }

    @Test
    void anObjectIsKnownByItsBeginningOnly() {
        SizeClass sizeClass = SizeClass.all(4096)[1];

        for (int object = 0; object < sizeClass.objects(); object++) {
            assertThat(sizeClass.objectAt(sizeClass.objectOffset(object))).isEqualTo(object);
            assertThat(sizeClass.objectAt(sizeClass.objectOffset(object) + 64)).isEqualTo(-1);
        }
        assertThat(sizeClass.objectAt(0)).isEqualTo(-1);
        assertThat(sizeClass.objectAt(sizeClass.objectOffset(0) - 128)).isEqualTo(-1);
        assertThat(sizeClass.objectAt(sizeClass.objectOffset(sizeClass.objects()))).isEqualTo(-1);
    }
}
