package io.atoll.queue;

import static io.atoll.queue.QueueOperation.Kind.POP;
import static io.atoll.queue.QueueOperation.Kind.PUSH;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.WideCodec;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.History;
import io.atoll.fabric.sim.Linearizability;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.SimulatedError;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.sim.Simulation.Program;
import io.atoll.failure.RankUnreachableException;
import io.atoll.heap.HeapUsage;
import io.atoll.queue.RingChain.Place;
import io.atoll.world.Liveness;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Simulated ranks that use one queue in the segment of rank 0. The queue has so few slots that it is often full and
 * often empty.
 */
final class QueueWorld {

    static final int RANKS = 3;
    static final int HOST = 0;
    static final int CAPACITY = 3;
    static final Codec<Long> NARROW = Codecs.forType(Long.class);
    static final Codec<Long> WIDE = new WideCodec(9);

    private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(10);
    private static final long SEGMENT_BYTES = 256 << 10;
    // nothing lies there as long as nothing is opened by name
    private static final long BLOCK = SEGMENT_BYTES - (8 << 10);
    private static final int OPERATIONS = 6;

    /** The reference to the ring that the queue is opened with. */
    static final long FIRST_RING = new RingReference(HOST, 0, BLOCK + QueueBlock.FIRST_RING).toWord();

    private QueueWorld() {}

    /** Makes the rings of a queue: right ones, or ones with a mistake in them. */
    interface Rings {

        default PushAnnouncements announcements(Participant participant, long[] blocks) {
            return new PushAnnouncements("queue", participant, blocks);
        }

        default RingChain chain(Participant participant, RingBlock first, long oldestWord,
                PushAnnouncements pushAnnouncements,
                RingChain.Rings rings, List<RingBlock> freed) {
            return new WatchedChain(participant, first, oldestWord, pushAnnouncements, rings, freed);
        }

        default Liveness liveness(Simulation simulation) {
            return simulation::isFenced;
        }
    }

    /** Overwrites freed slots with zeros, as if another structure had them. */
    static class WatchedChain extends RingChain {

        private final List<RingBlock> freed;

        WatchedChain(Participant participant, RingBlock first, long oldestWord, PushAnnouncements pushAnnouncements,
                Rings rings, List<RingBlock> freed) {
            super("queue", participant, first, oldestWord, pushAnnouncements, rings);
            this.freed = freed;
        }

        @Override
        void giveBack(RingBlock drained) {
            participant.heap().commit(drained.host, drained.slots);
            MemorySegment zeros = MemorySegment.ofArray(new long[(int) (drained.slotsBytes() / Long.BYTES)]);
            endpoint.write(drained.host, drained.slots, zeros, 0, zeros.byteSize());
            endpoint.flush(drained.host);
            freed.add(drained);
        }
    }

    static final Rings RIGHT = new Rings() {};

    /** The real rings, unwatched: slots are freed in the heap. */
    static final Rings IN_THE_HEAP = new Rings() {

        @Override
        public RingChain chain(Participant participant, RingBlock first, long oldestWord,
                PushAnnouncements pushAnnouncements,
                RingChain.Rings rings, List<RingBlock> freed) {
            return new RingChain("queue", participant, first, oldestWord, pushAnnouncements, rings);
        }
    };

    static SimOptions options(Guarantees guarantees) {
        return SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES).guarantees(guarantees);
    }

    /** Returns options with which ranks stand still now and then. */
    static SimOptions pausing(Guarantees guarantees) {
        return options(guarantees).pauses(0.02);
    }

    /**
     * Returns options with which ranks die as well, the host, too, and are started again. Half of them go on until they
     * are fenced. Pauses are so long that other ranks doubt if they live.
     */
    static SimOptions dying(Guarantees guarantees) {
        return pausing(guarantees).longestPause(Duration.ofMillis(200)).kills(0.02, 0, 1, 2).zombies();
    }

    static Participant participant(SimRank rank, Liveness liveness) {
        return new Participant(rank.endpoint(), rank.incarnation(), liveness, OPERATION_TIMEOUT, () -> new int[RANKS]);
    }

    static RingQueue open(SimRank rank, Codec<Long> codec) {
        return open(participant(rank, rank.simulation()::isFenced), codec, RIGHT);
    }

    static RingQueue open(Participant participant, Codec<Long> codec, Rings rings) {
        return open(participant, codec, rings, new ArrayList<>());
    }

    /** @param freed receives the rings whose slots are freed */
    static RingQueue open(Participant participant, Codec<Long> codec, Rings rings, List<RingBlock> freed) {
        long[] blocks = new long[participant.size()];
        Arrays.fill(blocks, BLOCK);
        PushAnnouncements pushAnnouncements = rings.announcements(participant, blocks);
        RingBlock first = RingBlock.first(participant.maxSize(), HOST, BLOCK + QueueBlock.FIRST_RING, CAPACITY,
                new Slot(codec.bytes()));
        RingChain chain = rings.chain(participant, first, BLOCK + QueueBlock.OLDEST, pushAnnouncements,
                (block, drawn, popped) -> new Ring("queue", participant, block, pushAnnouncements, drawn, popped),
                freed);
        return new RingQueue(new RingChainQueue("queue", chain, null), codec);
    }

    static List<Long> perform(RingQueue queue, QueueOperation operation) {
        return switch (operation.kind()) {
            case PUSH -> queue.push(operation.elements()) ? QueueOperation.PUSHED : QueueOperation.FULL;
            case POP -> queue.pop(operation.most());
            case MOVE -> {
                queue.tickets().move(place -> new Place(operation.host(), operation.most()));
                yield QueueOperation.MOVED;
            }
            case DROP -> throw new IllegalArgumentException("nobody calls this: operation=" + operation);
        };
    }

    static List<Long> perform(History<QueueOperation, List<Long>> history, RingQueue queue,
            QueueOperation operation) {
        return history.call(operation, () -> perform(queue, operation));
    }

    /** The operations that ranks use. An element tells which rank pushed it. */
    enum Use {
        PUSH_AND_POP, MOVE_TOO;

        /** Returns an operation that the seed chooses. */
        QueueOperation any(SplittableRandom random, long process, int operation) {
            int count = 1 + random.nextInt(4) / 3;
            long first = process * 100 + operation * 10L;
            if (this == MOVE_TOO && random.nextInt(6) == 0) {
                return QueueOperation.move(random.nextInt(RANKS), CAPACITY - 1 + random.nextInt(3));
            }
            return random.nextInt(5) < 3
                    ? new QueueOperation(PUSH, LongStream.range(first, first + count).boxed().toList(), 0, 0)
                    : QueueOperation.pop(count);
        }
    }

    /**
     * All ranks, and those that come back from death, use the queue as the seed says. Their results must be possible
     * one after the other.
     */
    static Seeds.Trial trial(SimOptions options, Codec<Long> codec, Rings rings, Use use) {
        return trial(options, codec, rings, use, true);
    }

    /** A rank dies that is never started again. From then on its announcements cannot be read. */
    static Seeds.Trial deadForGood(Guarantees guarantees, Codec<Long> codec) {
        SimOptions dying = pausing(guarantees).longestPause(Duration.ofMillis(20))
                .kills(0.02, RANKS - 1)
                .zombies()
                .survivorsUnmapTheDead();
        return trial(dying, codec, RIGHT, Use.PUSH_AND_POP, false);
    }

    private static Seeds.Trial trial(SimOptions options, Codec<Long> codec, Rings rings, Use use, boolean restarts) {
        return seed -> {
            var simulation = new Simulation(seed, options);
            var history = new History<QueueOperation, List<Long>>(simulation);
            List<RingBlock> freed = new ArrayList<>();
            Program program = rank -> {
                RingQueue queue = open(participant(rank, rings.liveness(rank.simulation())), codec, rings, freed);
                for (int count = 0; count < OPERATIONS; count++) {
                    perform(history, queue, use.any(rank.random(), rank.rank() + 10L * rank.incarnation(), count));
                }
            };
            if (restarts) {
                simulation.onDeath(program);
            }
            simulation.run(program);
            judge(history, open(simulation.rank(1), codec));
            freed.forEach(ring -> requireUntouched(simulation, ring));
        };
    }

    /** Returns the announcements of the rank's threads. */
    static List<Long> announced(Simulation simulation, int rank) {
        return LongStream.range(0, QueueBlock.PUSHES)
                .map(push -> simulation.fabric(rank)
                        .readWord(rank, BLOCK + QueueBlock.ANNOUNCEMENTS + push * Long.BYTES))
                .filter(word -> word != 0)
                .boxed()
                .toList();
    }

    /** Returns the rings that followed the first. */
    static List<Long> followers(Endpoint endpoint) {
        List<Long> rings = new ArrayList<>();
        for (long ring = word(endpoint, FIRST_RING, RingBlock.NEXT); ring != 0; ring = word(endpoint, ring,
                RingBlock.NEXT)) {
            rings.add(ring);
        }
        return rings;
    }

    static long word(Endpoint endpoint, long ring, long word) {
        RingReference place = RingReference.fromWord(ring);
        return endpoint.readWord(place.host(), place.header() + word);
    }

    /** Returns how many rings have slots, not counting the first. */
    static int requireThatNoSlotsAreLost(Participant self, String what) {
        List<Long> rings = followers(self.endpoint())
                .stream()
                .filter(ring -> word(self.endpoint(), ring, RingBlock.SLOTS) != 0)
                .toList();
        for (int rank = 0; rank < RANKS; rank++) {
            int here = rank;
            HeapUsage usage = self.heap().usage(rank);
            assertThat(usage.pendingRuns()).as("%s rank=%d: runs that are pending", what, rank).isZero();
            assertThat(usage.ownedRuns()).as("%s rank=%d: slots, and rings that have some", what, rank)
                    .isEqualTo(
                            (int) rings.stream().filter(ring -> RingReference.fromWord(ring).host() == here).count());
        }
        return rings.size();
    }

    static void requireUntouched(Simulation simulation, RingBlock freed) {
        for (long word = freed.slots; word < freed.slots + freed.slotsBytes(); word += Long.BYTES) {
            if (simulation.fabric(freed.host).readWord(freed.host, word) != 0) {
                throw new AssertionError("somebody writes to what is freed: host=" + freed.host + " offset=" + word);
            }
        }
    }

    /** Connections break, and it is unknown what has arrived. Operations fail, and two threads of each rank go on. */
    static Seeds.Trial breakingTrial(Guarantees guarantees, Codec<Long> codec, Use use, int mostBreaks) {
        return failingTrial(pausing(guarantees).breaks(0.02, mostBreaks), codec, use, (_, operation) -> operation.get(),
                RankUnreachableException.class);
    }

    /** Like {@link #breakingTrial}, but errors strike. */
    static Seeds.Trial erringTrial(Guarantees guarantees, Codec<Long> codec, Use use, int mostErrors) {
        return failingTrial(pausing(guarantees).errors(0.02, mostErrors), codec, use, Simulation::exposed,
                SimulatedError.class);
    }

    /** Performs an operation that may fail. */
    private interface Exposure {
        List<Long> perform(Simulation simulation, Supplier<List<Long>> operation);
    }

    private static Seeds.Trial failingTrial(SimOptions options, Codec<Long> codec, Use use, Exposure exposure,
            Class<? extends Throwable> failure) {
        return seed -> {
            var simulation = new Simulation(seed, options);
            var history = new History<QueueOperation, List<Long>>(simulation);
            List<Participant> participants = IntStream.range(0, RANKS)
                    .mapToObj(rank -> participant(simulation.rank(rank), simulation::isFenced))
                    .toList();
            List<RingQueue> queues = participants.stream().map(self -> open(self, codec, RIGHT)).toList();
            simulation.run(rank -> rank.inParallel(2, thread -> {
                for (int count = 0; count < OPERATIONS / 2; count++) {
                    QueueOperation operation = use.any(rank.random(), rank.rank() + 10L * thread, count);
                    try {
                        history.call(operation,
                                () -> exposure.perform(simulation,
                                        () -> perform(queues.get(rank.rank()), operation)));
                    } catch (RuntimeException | Error thrown) {
                        if (!failure.isInstance(thrown)) {
                            throw thrown;
                        }
                        undoAll(participants.get(rank.rank()));
                    }
                }
            }));
            judge(history, queues.getLast());
        };
    }

    /** Undoes what failed, as a process does from time to time. */
    static void undoAll(Participant self) {
        do {
            self.reservations().retryAll();
        } while (self.reservations().inDoubt() > 0);
    }

    /** Judges what was returned, and what is there in the end. */
    static void judge(History<QueueOperation, List<Long>> history, RingQueue queue) {
        while (!perform(history, queue, QueueOperation.pop(1)).isEmpty()) {
            // Until the queue says that it is empty.
        }
        if (!Linearizability.holds(QueueOperation.judged(history.calls()), QueueOperation.queue(CAPACITY))) {
            throw new AssertionError("not linearizable" + history.calls()
                    .stream()
                    .map(call -> "\n" + call)
                    .collect(Collectors.joining()));
        }
    }
}
