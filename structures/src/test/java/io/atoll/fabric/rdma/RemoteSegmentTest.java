package io.atoll.fabric.rdma;

import static io.atoll.memory.Layouts.offsetOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Tests the place of a segment, as its owner tells it to a rank that it lets in. */
class RemoteSegmentTest {

    @Test
    void itsLayoutIsThatWhichOtherVersionsOfThisLibraryKnow() {
        assertThat(offsetOf(RemoteSegment.ANSWER, "address")).isEqualTo(8);
        assertThat(offsetOf(RemoteSegment.ANSWER, "segmentBytes")).isEqualTo(16);
        assertThat(offsetOf(RemoteSegment.ANSWER, "remoteKey")).isEqualTo(24);
        assertThat(RemoteSegment.ANSWER.byteSize()).isEqualTo(32);
    }

    @Test
    void whatIsWrittenIsRead() {
        RemoteSegment segment = new RemoteSegment(1L << 40, 1L << 33, -9);
        assertThat(RemoteSegment.read(segment.write(Arena.ofAuto()))).contains(segment);
    }

    @Test
    void theAnswersOfStrangersAreNone() {
        for (long bytes : new long[]{0, 8, 31, 196}) {
            MemorySegment zeros = Arena.ofAuto().allocate(Math.max(1, bytes)).asSlice(0, bytes);
            assertThat(RemoteSegment.read(zeros)).isEmpty();
        }
    }
}
