package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A pusher that is killed by force, again and again, wherever it is at that moment. */
@Tag("processes")
class QueueProcessesTest {

    static final int CAPACITY = 16;

    private static final int KILLS = 6;
    private static final int POPS = 20_000;
    private static final long NONE = -1;

    @TempDir
    Path folder;

    @Test
    @Timeout(value = 120, unit = TimeUnit.SECONDS)
    void whatItHasPushedIsPoppedInItsOrderAndItsDeathBlocksNobody() {
        try (World world = World.named("queue")
                .size(2)
                .rank(0)
                .segment(1 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open()) {
            LongCircularQueue queue = world.longQueue("jobs").capacity(CAPACITY).openLazily();
            for (int kill = 1; kill <= KILLS; kill++) {
                try (ChildProcess pusher = ChildProcess.start(PusherProgram.class)) {
                    assertThat(pusher.ask("push " + folder)).isEqualTo("" + kill);
                    long last = popInOrder(queue, kill, kill * PusherProgram.PER_INCARNATION - 1);
                    pusher.kill();
                    popTheRest(queue, kill, last);
                }
            }
        }
    }

    private static long popInOrder(LongCircularQueue queue, int incarnation, long before) {
        long last = before;
        for (int pop = 0; pop < POPS; pop++) {
            long popped = queue.pop(NONE);
            if (popped != NONE) {
                assertThat(popped).as("of incarnation " + incarnation).isEqualTo(last + 1);
                last = popped;
            }
        }
        return last;
    }

    /** Nothing that stands before the end of the dead is missing; then the queue is as good as new. */
    private static void popTheRest(LongCircularQueue queue, int incarnation, long before) {
        long last = before;
        for (long popped = queue.pop(NONE); popped != NONE; popped = queue.pop(NONE)) {
            assertThat(popped).as("of incarnation " + incarnation).isEqualTo(last + 1);
            last = popped;
        }
        assertThat(queue.size()).isZero();
        for (long element = 0; element < CAPACITY; element++) {
            assertThat(queue.push(element)).isTrue();
        }
        assertThat(queue.push(CAPACITY)).isFalse();
        for (long element = 0; element < CAPACITY; element++) {
            assertThat(queue.pop(NONE)).isEqualTo(element);
        }
    }
}
