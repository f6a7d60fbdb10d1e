package io.atoll.queue;

import static io.atoll.fabric.sim.SimOptions.TCP;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.Codec;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.History;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.SimulatedError;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.sim.Simulation.Program;
import io.atoll.failure.RankUnreachableException;
import io.atoll.queue.QueueWorld.Use;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** What ranks do with asynchronous pushes and pops in a simulation. */
final class AsyncQueueTrials {

    /** The operations of a rank that are under way together. */
    private static final int TOGETHER = 4;

    /** As {@link #TOGETHER}, where they may fail: many orders could explain what is left then. */
    private static final int TOGETHER_IN_DANGER = 3;

    private static final int TIMES = 2;

    private AsyncQueueTrials() {}

    /** Only this rank has something to do. */
    private static void runOnly(Simulation simulation, int number, Program program) {
        simulation.run(rank -> {
            if (rank.rank() == number) {
                program.run(rank);
            }
        });
    }

    /**
     * Returns operations that the seed chooses. Each pushes or pops one element: an element tells which rank pushed it.
     */
    private static List<QueueOperation> any(SimRank rank, long process, int time, int together) {
        return any(rank, process, time, together, 3);
    }

    /** @param pushes how many of five operations push */
    private static List<QueueOperation> any(SimRank rank, long process, int time, int together, int pushes) {
        long first = process * 100 + 10L * time;
        return IntStream.range(0, together)
                .mapToObj(place -> rank.random().nextInt(5) < pushes
                        ? QueueOperation.push(first + place)
                        : QueueOperation.pop(1))
                .toList();
    }

    /** Ranks use the queue as the seed says, and synchronously as often as asynchronously. */
    static Seeds.Trial trial(SimOptions options, Codec<Long> codec, Use use) {
        return trial(options, codec, use, TOGETHER);
    }

    /** As {@link #trial}, where ranks stand still so long that others ask who holds an unwritten ticket. */
    static Seeds.Trial doubtingTrial(Guarantees guarantees, Codec<Long> codec) {
        return trial(QueueWorld.pausing(guarantees).longestPause(Duration.ofMillis(200)), codec, Use.PUSH_AND_POP);
    }

    /** As {@link #trial}, where ranks die. */
    static Seeds.Trial dyingTrial(Guarantees guarantees, Codec<Long> codec) {
        return trial(QueueWorld.dying(guarantees), codec, Use.PUSH_AND_POP, TOGETHER_IN_DANGER);
    }

    private static Seeds.Trial trial(SimOptions options, Codec<Long> codec, Use use, int together) {
        return seed -> {
            var simulation = new Simulation(seed, options);
            var history = new History<QueueOperation, List<Long>>(simulation);
            Program program = rank -> {
                RingQueue queue = QueueWorld.open(rank, codec);
                var client = new AsyncQueueClient(rank, queue);
                long process = rank.rank() + 10L * rank.incarnation();
                for (int time = 0; time < TIMES; time++) {
                    List<QueueOperation> operations = any(rank, process, time, together);
                    history.callAll(operations, () -> client.performAll(operations));
                    QueueWorld.perform(history, queue, use.any(rank.random(), process, 5 + time));
                }
            };
            simulation.onDeath(program).run(program);
            QueueWorld.judge(history, QueueWorld.open(simulation.rank(1), codec));
        };
    }

    /** The queue is full at the beginning, and most operations push. */
    static Seeds.Trial crowdedTrial(Guarantees guarantees, Codec<Long> codec) {
        return oneAmongOthers(guarantees, codec, List.of(1L, 2L, 3L), 4);
    }

    /** The queue is empty at the beginning, and most operations pop. */
    static Seeds.Trial emptiedTrial(Guarantees guarantees, Codec<Long> codec) {
        return oneAmongOthers(guarantees, codec, List.of(), 1);
    }

    /** One rank uses the queue asynchronously. The others push as often as they pop, and stand still often. */
    private static Seeds.Trial oneAmongOthers(Guarantees guarantees, Codec<Long> codec, List<Long> before,
            int pushes) {
        return seed -> {
            var simulation = new Simulation(seed, QueueWorld.options(guarantees).pauses(0.2));
            var history = new History<QueueOperation, List<Long>>(simulation);
            runOnly(simulation, 0, rank -> {
                if (!before.isEmpty()) {
                    QueueWorld.perform(history, QueueWorld.open(rank, codec),
                            QueueOperation.push(before.toArray(Long[]::new)));
                }
            });
            simulation.run(rank -> {
                RingQueue queue = QueueWorld.open(rank, codec);
                if (rank.rank() == 1) {
                    var client = new AsyncQueueClient(rank, queue);
                    for (int time = 0; time < 2 * TIMES; time++) {
                        List<QueueOperation> operations = any(rank, 1, time, 3, pushes);
                        history.callAll(operations, () -> client.performAll(operations));
                    }
                } else {
                    for (int time = 0; time < 3 * TIMES; time++) {
                        QueueWorld.perform(history, queue, QueueOperation.pop(1));
                        QueueWorld.perform(history, queue, QueueOperation.push(100L * (rank.rank() + 2) + time));
                    }
                }
            });
            QueueWorld.judge(history, QueueWorld.open(simulation.rank(2), codec));
        };
    }

    /** One rank moves the queue, drains the ring before and pushes to the next one. Another one pops what is there. */
    static Seeds.Trial drained(Guarantees guarantees, Codec<Long> codec) {
        return seed -> {
            var simulation = new Simulation(seed, QueueWorld.options(guarantees));
            runOnly(simulation, 1, rank -> {
                RingQueue queue = QueueWorld.open(rank, codec);
                queue.push(1L);
                QueueWorld.perform(queue, QueueOperation.move(1, 4));
                queue.pop(2);
                queue.pop(2);
                queue.push(2L);
            });
            List<List<Long>> popped = new ArrayList<>();
            runOnly(simulation, 2, rank -> popped
                    .addAll(AsyncQueueClient.open(rank, codec).performAll(List.of(QueueOperation.pop(1)))));
            assertThat(popped).as("what is in the ring that follows").containsExactly(List.of(2L));
        };
    }

    /**
     * One rank moves the queue, pushes to the next ring, and draws a ticket that it does not write until another rank
     * has the element of the closed ring. That one pops more than there is in the closed ring.
     */
    static Seeds.Trial closed(Guarantees guarantees, Codec<Long> codec) {
        return seed -> {
            var simulation = new Simulation(seed, QueueWorld.options(guarantees));
            RingQueue pusher = QueueWorld.open(simulation.rank(1), codec);
            pusher.push(1L);
            QueueWorld.perform(pusher, QueueOperation.move(1, 4));
            pusher.push(2L);
            Ring ring = pusher.tickets().pushing();
            long ticket = ring.tail.last();
            long announcement = ring.tryAnnounce(ticket);
            ring.tail.compareAndExchange(ticket, ticket + 1);
            boolean[] isTold = new boolean[1];
            List<CompletableFuture<List<Long>>> popped = new ArrayList<>();
            simulation.run(rank -> {
                if (rank.rank() == 1) {
                    while (!isTold[0]) {
                        simulation.step();
                    }
                    ring.endAnnouncement(announcement);
                } else if (rank.rank() == 2) {
                    RingQueue queue = QueueWorld.open(rank, codec);
                    queue.push(3L); // so that this process knows that the ring of the pops is closed
                    var client = new AsyncQueueClient(rank, queue);
                    client.submit(QueueOperation.push(4L)); // the first goes alone
                    for (int pop = 0; pop < 3; pop++) {
                        popped.add(client.submit(QueueOperation.pop(1)));
                    }
                    popped.getFirst().thenRun(() -> isTold[0] = true);
                    client.finish();
                }
            });
            assertThat(popped.stream().map(CompletableFuture::join)).as("what is in the ring that follows")
                    .containsExactly(List.of(1L), List.of(2L), List.of(3L));
        };
    }

    /** A rank dies at some step while it moves a full queue. Then one pushes. It finds room if the move has a ring. */
    static Seeds.Trial cutShort(Guarantees guarantees, Codec<Long> codec) {
        return step -> {
            var simulation = new Simulation(1, QueueWorld.options(guarantees).killAt(1, (int) step));
            QueueWorld.open(simulation.rank(0), codec).push(List.of(1L, 2L, 3L));
            runOnly(simulation, 1,
                    rank -> QueueWorld.perform(QueueWorld.open(rank, codec), QueueOperation.move(2, 4)));
            List<List<Long>> pushed = new ArrayList<>();
            runOnly(simulation, 2, rank -> {
                RingQueue queue = QueueWorld.open(rank, codec);
                queue.pop(); // so that the asynchronous push need not be the first in the ring
                queue.push(4L);
                pushed.addAll(new AsyncQueueClient(rank, queue).performAll(List.of(QueueOperation.push(5L))));
            });
            boolean isLinked = !QueueWorld.followers(simulation.rank(2).endpoint()).isEmpty();
            assertThat(pushed).as("room in the ring that follows")
                    .containsExactly(isLinked ? QueueOperation.PUSHED : QueueOperation.FULL);
        };
    }

    static Seeds.Trial breakingTrial(Guarantees guarantees, Codec<Long> codec) {
        return failingTrial(QueueWorld.pausing(guarantees).breaks(0.02, 3), codec, (_, operations) -> operations.get(),
                RankUnreachableException.class);
    }

    static Seeds.Trial erringTrial(Guarantees guarantees, Codec<Long> codec) {
        return failingTrial(QueueWorld.pausing(guarantees).errors(0.02, 3), codec, Simulation::exposed,
                SimulatedError.class);
    }

    /** Performs operations that may fail. */
    private interface Exposure {

        List<List<Long>> perform(Simulation simulation, Supplier<List<List<Long>>> operations);
    }

    private static Seeds.Trial failingTrial(SimOptions options, Codec<Long> codec, Exposure exposure,
            Class<? extends Throwable> failure) {
        return seed -> {
            var simulation = new Simulation(seed, options);
            var history = new History<QueueOperation, List<Long>>(simulation);
            simulation.run(rank -> {
                Participant self = QueueWorld.participant(rank, simulation::isFenced);
                var client = new AsyncQueueClient(rank, QueueWorld.open(self, codec, QueueWorld.RIGHT));
                for (int time = 0; time < TIMES; time++) {
                    List<QueueOperation> operations = any(rank, rank.rank(), time, TOGETHER_IN_DANGER);
                    try {
                        history.callAll(operations,
                                () -> exposure.perform(simulation, () -> client.performAll(operations)));
                    } catch (RuntimeException | Error thrown) {
                        if (!failure.isInstance(thrown)) {
                            throw thrown;
                        }
                        QueueWorld.undoAll(self);
                    }
                }
                client.finish();
                QueueWorld.undoAll(self);
            });
            assertThat(IntStream.range(0, QueueWorld.RANKS).mapToObj(rank -> QueueWorld.announced(simulation, rank)))
                    .as("announcements")
                    .allMatch(List::isEmpty);
            QueueWorld.judge(history, QueueWorld.open(simulation.rank(2), codec));
        };
    }

    /** One rank pushes elements of which all but the first go in one batch. Another one pops until it has all. */
    static Seeds.Trial inOrder(Codec<Long> codec) {
        return seed -> {
            var simulation = new Simulation(seed, QueueWorld.pausing(TCP));
            List<Long> popped = new ArrayList<>();
            runOnly(simulation, 1, rank -> {
                RingQueue queue = QueueWorld.open(rank, codec);
                queue.push(0L); // the first push of a process in a ring takes verbs one after the other
                var client = new AsyncQueueClient(rank, queue);
                client.performAll(List.of(QueueOperation.pop(1), QueueOperation.push(1L), QueueOperation.push(2L),
                        QueueOperation.push(3L)));
            });
            RingQueue queue = QueueWorld.open(simulation.rank(2), codec);
            for (Long element = queue.pop(); element != null; element = queue.pop()) {
                popped.add(element);
            }
            popped.remove(0L);
            assertThat(popped).isSorted().hasSizeBetween(2, 3);
        };
    }

    /**
     * An error strikes one access of a rank while its operations are under way, in a queue that has one element.
     * Returns true if they come to that access.
     *
     * @param isAfter true if it strikes after the access
     */
    static boolean isStruckAt(Guarantees guarantees, Codec<Long> codec, List<QueueOperation> operations, int access,
            boolean isAfter) {
        var simulation = new Simulation(access, QueueWorld.options(guarantees));
        boolean[] isStruck = new boolean[1];
        List<List<Long>> results = new ArrayList<>();
        runOnly(simulation, 1, rank -> {
            Participant self = QueueWorld.participant(rank, simulation::isFenced);
            RingQueue queue = QueueWorld.open(self, codec, QueueWorld.RIGHT);
            queue.push(10L);
            var client = new AsyncQueueClient(rank, queue);
            isStruck[0] = simulation.isStruckAt(access, isAfter, () -> results.addAll(client.performAll(operations)));
            client.finish();
            QueueWorld.undoAll(self);
        });
        String what = operations + " at access " + access + (isAfter ? ", after it" : "");
        assertThat(QueueWorld.announced(simulation, 1)).as(what).isEmpty();
        boolean arePushes = operations.getFirst().kind() == QueueOperation.Kind.PUSH;
        runOnly(simulation, 2, rank -> {
            RingQueue queue = QueueWorld.open(rank, codec);
            List<Long> left = new ArrayList<>();
            for (Long element = queue.pop(); element != null; element = queue.pop()) {
                left.add(element);
            }
            assertThat(left).as(what).isSubsetOf(10L, 20L, 21L).isSorted().doesNotHaveDuplicates();
            if (arePushes) {
                assertThat(left).as(what).contains(10L);
            }
            if (arePushes && !results.isEmpty()) {
                assertThat(left).as(what).containsExactly(10L, 20L, 21L);
            }
            assertThat(queue.push(List.of(100L, 101L, 102L))).as(what).isTrue();
            assertThat(queue.pop(QueueWorld.CAPACITY)).as(what).containsExactly(100L, 101L, 102L);
        });
        if (!arePushes && !results.isEmpty()) {
            assertThat(results).as(what).containsExactlyInAnyOrder(List.of(10L), QueueOperation.EMPTY);
        }
        return isStruck[0];
    }
}
