package io.atoll.linked;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.process.ChildProcess;
import io.atoll.world.Peers.PeerStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A rank uses a queue, or a stack, of nodes. It is killed by force, again and again, at any step. */
@Tag("processes")
class LinkedProcessesTest {

    private static final int KILLS = 6;
    private static final int POPS = 20_000;
    private static final int POPS_BETWEEN_RECLAIMING = 64;

    @TempDir
    Path folder;

    @Test
    @Timeout(value = 400, unit = TimeUnit.SECONDS)
    void whatItHasPushedIsPoppedInItsOrderAndItsDeathLosesANodeAtMost() {
        try (World world = LinkedProgram.join(0, folder)) {
            LinkedQueue<Long> queue = world.linkedQueue("jobs", Long.class).openLazily();
            long objects = 0;
            for (int kill = 1; kill <= KILLS; kill++) {
                long last = kill * LinkedProgram.PER_INCARNATION - 1;
                try (ChildProcess pusher = ChildProcess.start(LinkedProgram.class)) {
                    assertThat(pusher.ask("queue " + folder)).isEqualTo("" + kill);
                    last = popInOrder(world, last, POPS, queue::pop);
                }
                popInOrder(world, last, Integer.MAX_VALUE, queue::pop);
                assertThat(queue.isEmpty()).isTrue();
                freeEverything(world);
                long left = world.inspection().heapUsage(0).orElseThrow().objects();
                objects = kill == 1 ? left : objects;
                assertThat(left).as("objects after " + kill + " kills").isBetween(objects - 1, objects + kill - 1);
            }
        }
    }

    /** Pops until {@code pops} values were popped, or until the queue is empty although no rank pushes. */
    private static long popInOrder(World world, long before, int pops, Supplier<@Nullable Long> queue) {
        long last = before;
        for (int popped = 0; popped < pops;) {
            Long number = queue.get();
            if (number != null) {
                assertThat(number).isEqualTo(last + 1);
                last = number;
                popped++;
            } else if (pops == Integer.MAX_VALUE) {
                return last;
            }
            if (popped % POPS_BETWEEN_RECLAIMING == 0) {
                world.epochs().tryReclaim();
            }
        }
        return last;
    }

    /** Frees everything, once the dead rank does not count any more. */
    private static void freeEverything(World world) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> world.peers().snapshot().get(1).status() == PeerStatus.LOST);
        world.epochs().clear();
    }

    @Test
    @Timeout(value = 400, unit = TimeUnit.SECONDS)
    void whatItHasPushedIsPoppedOnceAndItsDeathBlocksNobody() {
        try (World world = LinkedProgram.join(0, folder)) {
            LinkedStack<Long> stack = world.stack("undone", Long.class).openLazily();
            Set<Long> seen = new HashSet<>();
            for (int kill = 1; kill <= KILLS; kill++) {
                try (ChildProcess user = ChildProcess.start(LinkedProgram.class)) {
                    assertThat(user.ask("stack " + folder)).isEqualTo("" + kill);
                    for (int popped = 0; popped < POPS;) {
                        Long number = stack.pop();
                        assertThat(number == null || seen.add(number)).as("twice: " + number).isTrue();
                        popped += number == null ? 0 : 1;
                        world.epochs().tryReclaim();
                    }
                }
                List<Long> left = new ArrayList<>();
                for (Long number = stack.pop(); number != null; number = stack.pop()) {
                    left.add(number);
                }
                assertThat(left.reversed()).isSorted().doesNotHaveDuplicates().noneMatch(seen::contains);
                freeEverything(world);
            }
        }
    }
}
