package io.atoll.fabric.tcp;

import static io.atoll.fabric.tcp.FrameRing.MOST_ANSWER_BYTES;
import static io.atoll.fabric.tcp.FrameRing.SIZE;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how many frames may be unanswered, how many bytes of answers may be due, and what is known of each frame. */
class FrameRingTest {

    private final FrameRing ring = new FrameRing();
    private final Waiter waiter = new Waiter();
    private long posted;

    private void put(int answerBytes) {
        ring.put(++posted, waiter, 0, 1, answerBytes, 0);
    }

    private boolean hasRoomFor(long completed, long answerBytes) {
        return ring.hasRoomFor(posted + 1, completed, Math.toIntExact(answerBytes));
    }

    @Test
    void soManyFramesMayBeUnanswered() {
        for (int frame = 0; frame < SIZE; frame++) {
            assertThat(hasRoomFor(0, 16)).isTrue();
            put(16);
        }
        assertThat(hasRoomFor(0, 0)).isFalse();
        assertThat(hasRoomFor(1, 0)).isTrue();
    }

    /** Meanwhile the places of the ring are used again and again. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, SIZE - 1, SIZE, 5 * SIZE + 7})
    void answersOfAMebibyteMayBeOutstanding(int framesBefore) {
        for (int frame = 0; frame < framesBefore; frame++) {
            put(Frame.MAXIMUM_BYTES);
        }
        assertThat(hasRoomFor(posted, MOST_ANSWER_BYTES)).isTrue();
        assertThat(hasRoomFor(posted, MOST_ANSWER_BYTES + 1)).isFalse();
        long completed = posted;
        int frames = Math.toIntExact(MOST_ANSWER_BYTES / Frame.MAXIMUM_BYTES);
        for (int frame = 0; frame < frames; frame++) {
            assertThat(hasRoomFor(completed, Frame.MAXIMUM_BYTES)).isTrue();
            put(Frame.MAXIMUM_BYTES);
        }
        assertThat(hasRoomFor(completed, 1)).isFalse();
        assertThat(hasRoomFor(completed, 0)).as("what nobody waits for").isTrue();
        assertThat(hasRoomFor(completed + 1, Frame.MAXIMUM_BYTES)).isTrue();
        assertThat(hasRoomFor(completed + 1, Frame.MAXIMUM_BYTES + 1)).isFalse();
        assertThat(hasRoomFor(posted, MOST_ANSWER_BYTES)).as("all are answered").isTrue();
    }

    @Test
    void whatIsKnownOfAFrameIsThatOfItsNumber() {
        Waiter other = new Waiter();
        ring.put(SIZE, waiter, 3, 4, 16, 2);
        ring.put(SIZE + 1, other, 5, 6, 16, 1);
        ring.put(SIZE + 2, null, 0, 7, 0, 7);
        assertThat(ring.waiter(SIZE)).isSameAs(waiter);
        assertThat(ring.first(SIZE)).isEqualTo(3);
        assertThat(ring.verbs(SIZE)).isEqualTo(4);
        assertThat(ring.changes(SIZE)).isEqualTo(2);
        assertThat(ring.waiter(SIZE + 1)).isSameAs(other);
        assertThat(ring.first(SIZE + 1)).isEqualTo(5);
        assertThat(ring.verbs(SIZE + 1)).isEqualTo(6);
        assertThat(ring.changes(SIZE + 1)).isOne();
        assertThat(ring.waiter(SIZE + 2)).isNull();
        assertThat(ring.changes(SIZE + 2)).isEqualTo(7);
    }

    @Test
    void waitersAreForgotten() {
        put(16);
        put(16);
        put(16);
        ring.clear(1);
        assertThat(ring.waiter(1)).isNull();
        assertThat(ring.waiter(2)).isSameAs(waiter);
        ring.clear();
        assertThat(ring.waiter(2)).isNull();
        assertThat(ring.waiter(3)).isNull();
    }
}
