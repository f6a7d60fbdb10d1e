package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Ranks of a simulated world meet at a barrier again and again; the last rank may die and come back. Whenever a rank
 * gets through, three things must be true. Every other rank was in a call of its own at that time. What it wrote before
 * has arrived. And if the ranks combined values, all have the same result.
 */
final class BarrierTrial {

    private static final int MOST_RANKS = 5;
    private static final long AREA = Layouts.CACHE_LINE;
    private static final long DATA = AREA + Barrier.areaBytes(MOST_RANKS);
    private static final int CALL_BITS = 12;
    private static final Duration LONGEST_DOUBT = Duration.ofMillis(100);

    /** Makes the barrier of a process, right or wrong. */
    interface Maker {
        Barrier make(Endpoint endpoint, long area, Supplier<int[]> incarnations, Waits waits);
    }

    /** A call by a rank: when it began and ended, in the order of all such events. */
    private static final class Call {

        final long number; // of the rank's calls, through all its lives
        final long began;
        int era; // the mortal rank's incarnation that it waits for
        boolean passed;
        long ended = Long.MAX_VALUE;
        long @Nullable [] combined; // the numbers of the calls whose values were combined

        Call(long number, long began) {
            this.number = number;
            this.began = began;
        }

        /**
         * Returns true if this call, which got through, can have met the other one: in its era, and at the same time
         * unless the other failed. A rank that learns of a death later may still get through with those that have
         * learned of it in the same barrier.
         */
        boolean canHaveMet(Call other) {
            return other.era == era && other.began < ended && (began < other.ended || !other.passed);
        }
    }

    /** What a process knows of the others: it learns each of their changes some time later. */
    private final class View implements Supplier<int[]> {

        private final SimRank own;
        private final int[] incarnations = new int[simulation.size()];
        private boolean hasLearnt; // that a rank has another segment
        private long changedNanos;
        private @Nullable Call entering;

        View(SimRank own) {
            this.own = own;
            for (int rank = 0; rank < incarnations.length; rank++) {
                incarnations[rank] = truth(rank);
            }
        }

        private int truth(int rank) {
            int incarnation = simulation.incarnation(rank);
            // A rank whose new segment this process does not reach yet is not there.
            return simulation.isDead(rank, incarnation) || rank == mortal && unaware.contains(own) ? 0 : incarnation;
        }

        @Override
        public int[] get() {
            for (int rank = 0; rank < incarnations.length; rank++) {
                if (truth(rank) != incarnations[rank] && (hasLearnt || own.random().nextInt(3) == 0)) {
                    incarnations[rank] = truth(rank);
                    changedNanos = own.fabric().clock().nanoTime();
                }
            }
            if (entering != null) {
                entering.era = incarnations[mortal];
                entering = null;
            }
            return incarnations.clone();
        }
    }

    private record Process(Barrier barrier, View view) {}

    private final Simulation simulation;
    private final Maker maker;
    private final boolean reducing;
    private final boolean deadly;
    private final int mortal; // the last rank
    private final List<List<Call>> calls = new ArrayList<>();
    private long events;
    private final Map<SimRank, Process> processes = new IdentityHashMap<>();
    private final Set<SimRank> unaware = Collections.newSetFromMap(new IdentityHashMap<>()); // of the last loss
    private boolean mortalHasFinished;
    int failures;

    /**
     * @param reducing true to combine values at every barrier
     * @param deadly true if the options let the last rank die
     */
    BarrierTrial(long seed, SimOptions options, int ranks, boolean reducing, boolean deadly, Maker maker) {
        this.simulation = new Simulation(seed,
                options.segmentBytes(Layouts.roundUp(DATA + ranks * Layouts.WORD, Layouts.CACHE_LINE)));
        this.maker = maker;
        this.reducing = reducing;
        this.deadly = deadly;
        this.mortal = ranks - 1;
        for (int rank = 0; rank < ranks; rank++) {
            calls.add(new ArrayList<>());
        }
    }

    /**
     * Runs until every rank has got through that often, and, after a death, that often again with the rank that has
     * come back.
     */
    BarrierTrial run(int rounds) {
        simulation.onDeath(rank -> live(rank, rounds)).onLoss(this::lose, this::learn).run(rank -> live(rank, rounds));
        return this;
    }

    private void lose(int lost) {
        IntStream.range(0, simulation.size())
                .filter(rank -> rank != lost)
                .mapToObj(simulation::rank)
                .forEach(unaware::add);
    }

    /** The rank learns that the other was away before it reaches the other's new segment. */
    private void learn(SimRank rank, int lost) {
        unaware.remove(rank);
        Process process = processes.get(rank);
        if (process != null) {
            process.view.hasLearnt = true;
            process.barrier.reachBy(rank.endpoint(), 1);
        }
    }

    int losses() {
        return simulation.losses();
    }

    private void live(SimRank rank, int rounds) throws InterruptedException {
        View view = new View(rank);
        Barrier barrier = maker.make(rank.endpoint(), AREA, view, new Waits(rank.fabric().clock()));
        processes.put(rank, new Process(barrier, view));
        while (!mortalHasFinished) {
            pass(rank, view, barrier, rounds);
            mortalHasFinished |= rank.rank() == mortal;
            int met = view.incarnations[mortal];
            // Ranks that the mortal one has left in the middle of its last barrier will meet it again.
            while (!mortalHasFinished && simulation.incarnation(mortal) == met) {
                rank.fabric().clock().pause(8);
            }
        }
    }

    /** Passes that many barriers in one era: the number is the same for all. */
    private void pass(SimRank rank, View view, Barrier barrier, int rounds) throws InterruptedException {
        int[] era = {};
        int passed = 0;
        while (passed < rounds) {
            if (attempt(rank, view, barrier)) {
                passed = Arrays.equals(era, view.incarnations) ? passed + 1 : 1;
                era = view.incarnations.clone();
            } else {
                while (view.get()[mortal] != 2) {
                    rank.fabric().clock().pause(8);
                }
                passed = 0;
            }
        }
    }

    private boolean attempt(SimRank rank, View view, Barrier barrier) throws InterruptedException {
        List<Call> own = calls.get(rank.rank());
        Call call = new Call(own.size() + 1, ++events);
        own.add(call);
        view.entering = call;
        try {
            call(rank, barrier, call);
            call.ended = ++events;
            call.passed = true;
        } catch (RankUnreachableException lost) {
            call.ended = ++events;
            failures++;
            assertThat(lost.rank()).isEqualTo(mortal);
            if (view.incarnations[mortal] != 1) {
                assertThat(rank.fabric().clock().nanoTime() - view.changedNanos).as("waited after it knew")
                        .isLessThan(LONGEST_DOUBT.toNanos());
            }
            return false;
        }
        check(rank, call);
        return true;
    }

    private void call(SimRank rank, Barrier barrier, Call call) throws InterruptedException {
        for (int target = 0; target < simulation.size(); target++) {
            rank.endpoint().writeWord(target, DATA + rank.rank() * Layouts.WORD, call.number);
        }
        if (!reducing) {
            barrier.await();
            return;
        }
        long[] values = {call.number << CALL_BITS * rank.rank(), call.number};
        barrier.allReduce(values, Long::sum);
        call.combined = new long[simulation.size()];
        for (int other = 0; other < simulation.size(); other++) {
            call.combined[other] = values[0] >>> CALL_BITS * other & (1 << CALL_BITS) - 1;
        }
        assertThat(values[1]).isEqualTo(Arrays.stream(call.combined).sum());
    }

    private void check(SimRank rank, Call call) {
        for (int other = 0; other < simulation.size(); other++) {
            List<Call> met = calls.get(other).stream().filter(call::canHaveMet).toList();
            assertThat(met).as("calls of rank " + other + " during one of rank " + rank.rank()).isNotEmpty();
            // Without deaths all have called as often. With deaths, it has met the first of these calls, or a later
            // one.
            long number = deadly ? met.getFirst().number : call.number;
            for (int target = 0; target < simulation.size(); target++) {
                if (target != mortal || !deadly) {
                    assertThat(rank.endpoint().readWord(target, DATA + other * Layouts.WORD))
                            .as("what rank " + other + " wrote to rank " + target + " before")
                            .isGreaterThanOrEqualTo(number);
                }
            }
            checkCombined(call, other, met);
        }
    }

    private void checkCombined(Call call, int other, List<Call> met) {
        if (call.combined != null) {
            Call combined = calls.get(other).get((int) call.combined[other] - 1);
            assertThat(met).contains(combined);
            if (combined.combined != null) {
                assertThat(call.combined).as("one result for all").isEqualTo(combined.combined);
            }
        }
    }
}
