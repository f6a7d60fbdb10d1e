package io.atoll.fabric.tcp;

import static io.atoll.memory.Layouts.offsetOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Batch;
import io.atoll.fabric.WordTest;
import org.junit.jupiter.api.Test;

/** Tests the places of the parts of frames and handshakes. Other versions of this library rely on them. */
class FrameTest {

    @Test
    void theLayoutOfFramesIsThatWhichOtherVersionsKnow() {
        assertThat(offsetOf(Frame.REQUEST, "bytes")).isZero();
        assertThat(offsetOf(Frame.REQUEST, "verbs")).isEqualTo(4);
        assertThat(offsetOf(Frame.REQUEST, "flags")).isEqualTo(6);
        assertThat(offsetOf(Frame.REQUEST, "number")).isEqualTo(8);
        assertThat(Frame.REQUEST.byteSize()).isEqualTo(16);
        assertThat(offsetOf(Frame.VERB, "kind")).isZero();
        assertThat(offsetOf(Frame.VERB, "guard")).isEqualTo(1);
        assertThat(offsetOf(Frame.VERB, "count")).isEqualTo(2);
        assertThat(offsetOf(Frame.VERB, "length")).isEqualTo(4);
        assertThat(offsetOf(Frame.VERB, "offset")).isEqualTo(8);
        assertThat(Frame.VERB.byteSize()).isEqualTo(16);
        assertThat(offsetOf(Frame.ANSWER, "bytes")).isZero();
        assertThat(offsetOf(Frame.ANSWER, "status")).isEqualTo(4);
        assertThat(offsetOf(Frame.ANSWER, "flags")).isEqualTo(6);
        assertThat(offsetOf(Frame.ANSWER, "number")).isEqualTo(8);
        assertThat(Frame.ANSWER.byteSize()).isEqualTo(16);
    }

    @Test
    void theNumbersOfVerbsAreThoseWhichOtherVersionsKnow() {
        assertThat(new int[]{Frame.READ, Frame.WRITE, Frame.COMPARE_AND_EXCHANGE, Frame.GET_AND_ADD,
            Frame.GET_AND_BITWISE_OR, Frame.GET_AND_SET, Frame.SEARCH, Frame.EXCHANGE_FOUND, Frame.READ_RECORDS,
            Frame.WRITE_BESIDE}).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
        assertThat(Frame.ANSWER_WANTED).isEqualTo(1);
        assertThat(Frame.MAXIMUM_BYTES).isEqualTo(65_536);
    }

    @Test
    void theLayoutOfAnAnswerToAHandshakeBeginsAsARefusalDoes() {
        assertThat(offsetOf(TcpHandshake.ANSWER, "reason")).isEqualTo(8);
        assertThat(offsetOf(TcpHandshake.ANSWER, "met")).isEqualTo(10);
        assertThat(offsetOf(TcpHandshake.ANSWER, "incarnation")).isEqualTo(12);
        assertThat(offsetOf(TcpHandshake.ANSWER, "born")).isEqualTo(14);
        assertThat(offsetOf(TcpHandshake.ANSWER, "segmentBytes")).isEqualTo(16);
        assertThat(TcpHandshake.ANSWER.byteSize()).isEqualTo(24);
    }

    /** Otherwise a thread could post a verb that fits into no frame, and would never finish. */
    @Test
    void theLargestVerbFitsIntoAFrameBothWays() {
        for (int kind = Frame.READ; kind <= Frame.LAST_KIND; kind++) {
            boolean moves = Frame.bringsWords(kind) || Frame.isWrite(kind);
            int length = moves ? Frame.MAXIMUM_LENGTH : Long.BYTES;
            int count = kind == Frame.READ_RECORDS ? Batch.RECORDS : WordTest.MOST;
            assertThat(Frame.HEADER_BYTES + Frame.VERB_BYTES + Frame.operandBytes(kind, length, count))
                    .isLessThanOrEqualTo(Frame.MAXIMUM_BYTES);
            assertThat(Frame.HEADER_BYTES + Frame.resultBytes(kind, length, count))
                    .isLessThanOrEqualTo(Frame.MAXIMUM_BYTES);
        }
    }
}
