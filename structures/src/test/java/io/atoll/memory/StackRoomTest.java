package io.atoll.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** In all the ways in which methods are executed: it begins in the interpreter, and ends compiled. */
@Tag("slow")
class StackRoomTest {

    private static final int STACK_BYTES = 512 << 10;
    private static final int ROUNDS = 2_000;

    /** A frame of the interpreter has less than 128 bytes, a compiled one has fewer. */
    private static final int FEWEST_FRAMES = StackRoom.BYTES / 128;

    private boolean ended;
    private int left;

    /** Calls itself as long as there is room, and then checks how much is left. */
    private void descend() {
        StackRoom.require();
        try {
            descend();
        } catch (StackOverflowError end) {
            look();
        }
    }

    /** Like {@link #descend}, without asking for room. */
    private void fall() {
        try {
            fall();
        } catch (StackOverflowError end) {
            look();
        }
    }

    private void look() {
        if (!ended) {
            ended = true;
            left = frames(0);
        }
    }

    private int frames(int frames) {
        try {
            return frames(frames + 1);
        } catch (StackOverflowError end) {
            return frames;
        }
    }

    private int framesLeft(Runnable deep) {
        ended = false;
        deep.run();
        return left;
    }

    @Test
    void whoHasAskedForRoomHasIt() throws InterruptedException {
        Throwable[] failure = new Throwable[1];
        Thread thread = new Thread(null, () -> {
            int leftAtLeast = Integer.MAX_VALUE;
            for (int round = 0; round < ROUNDS; round++) {
                assertThat(framesLeft(this::descend)).as("round=" + round).isGreaterThan(FEWEST_FRAMES);
                leftAtLeast = Math.min(leftAtLeast, framesLeft(this::fall));
            }
            assertThat(leftAtLeast).as("of those who have not asked").isLessThan(FEWEST_FRAMES);
        }, "deep", STACK_BYTES);
        thread.setUncaughtExceptionHandler((any, thrown) -> failure[0] = thrown);
        thread.start();
        thread.join();
        assertThat(failure[0]).isNull();
    }
}
