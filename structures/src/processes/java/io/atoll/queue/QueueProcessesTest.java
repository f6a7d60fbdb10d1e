package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A pusher, and a popper, is killed by force, again and again, at any step. */
@Tag("processes")
class QueueProcessesTest {

    static final int CAPACITY = 16;
    static final int POPPED = 1 << 14;

    private static final int KILLS = 6;
    private static final int POPS = 20_000;
    private static final long NONE = -1;

    @TempDir
    Path folder;

    @Test
    @Timeout(value = 400, unit = TimeUnit.SECONDS)
    void whatItHasPushedIsPoppedInItsOrderAndItsDeathBlocksNobody() {
        try (World world = host()) {
            LongCircularQueue queue = world.longQueue("jobs").capacity(CAPACITY).openLazily();
            for (int kill = 1; kill <= KILLS; kill++) {
                try (ChildProcess pusher = ChildProcess.start(QueueProgram.class)) {
                    assertThat(pusher.ask("push " + folder)).isEqualTo("" + kill);
                    long last = popInOrder(queue, kill, kill * QueueProgram.PER_INCARNATION - 1);
                    pusher.kill();
                    popTheRest(queue, kill, last);
                }
            }
        }
    }

    private World host() {
        return World.named("queue")
                .size(2)
                .rank(0)
                .segment(1 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open();
    }

    @Test
    @Timeout(value = 400, unit = TimeUnit.SECONDS)
    void whatItDidNotPopIsThereInItsOrderAndItsDeathLosesWhatItHadClaimedAtMost() {
        try (World world = host()) {
            LongCircularQueue queue = world.longQueue("jobs").capacity(CAPACITY).openLazily();
            LongCircularQueue popped = world.longQueue("popped").capacity(POPPED).openLazily();
            long next = 0;
            for (int kill = 1; kill <= KILLS; kill++) {
                long first = next;
                try (ChildProcess popper = ChildProcess.start(QueueProgram.class)) {
                    assertThat(popper.ask("pop " + folder)).isEqualTo("" + kill);
                    while (popped.size() < POPPED / 2) {
                        next += queue.push(next) ? 1 : 0;
                    }
                    popper.kill();
                }
                List<Long> left = new ArrayList<>(popAll(popped));
                left.addAll(popAll(queue));
                assertThat(left).isSorted().doesNotHaveDuplicates().allMatch(element -> element >= first);
                assertThat(left).hasSizeBetween((int) (next - first - 2), (int) (next - first));
                assertThat(left.getLast()).isBetween(next - 3, next - 1);
            }
        }
    }

    private static List<Long> popAll(LongCircularQueue queue) {
        List<Long> elements = new ArrayList<>();
        for (long popped = queue.pop(NONE); popped != NONE; popped = queue.pop(NONE)) {
            elements.add(popped);
        }
        return elements;
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

    /**
     * Pops the rest. Nothing is missing that stands before the end of the dead process's work. Then the queue is as
     * good as new.
     */
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
