package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Each collective brings what it promises to each member. All use the same two staging buffers, one after the other.
 * Ranks may pause and die at any step.
 */
@Tag("simulation")
class ExchangeSimulationTest {

    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long BLOCK = SEGMENT_BYTES - (8 << 10);
    private static final long ROOM_BYTES = 3 * Long.BYTES;
    private static final int WORDS = 5; // two pieces
    private static final int OUTSIDER = 1;
    private static final int MORTAL = 3;

    private static SimOptions options(int ranks, Guarantees guarantees) {
        return SimOptions.ranks(ranks)
                .guarantees(guarantees)
                .segmentBytes(SEGMENT_BYTES)
                .pauses(0.01)
                .maximumSteps(500_000);
    }

    /** Returns a team of all ranks but one, backwards. */
    private static Team team(int ranks) {
        return Team.of(IntStream.range(0, ranks)
                .map(position -> ranks - 1 - position)
                .filter(rank -> rank != OUTSIDER)
                .toArray());
    }

    private static int[] incarnations(Simulation simulation) {
        return IntStream.range(0, simulation.size())
                .map(each -> simulation.isDead(each, simulation.incarnation(each)) ? 0 : simulation.incarnation(each))
                .toArray();
    }

    /** Makes the staging buffers, right or wrong. */
    private interface Maker {
        StagingBuffers make(Endpoint endpoint, Team team, long[] blocks, long roomBytes);
    }

    private static Exchange open(SimRank rank, Team team, Reduction reduction, Supplier<int[]> incarnations) {
        return open(rank, team, reduction, incarnations, StagingBuffers::new);
    }

    private static Exchange open(SimRank rank, Team team, Reduction reduction, Supplier<int[]> incarnations,
            Maker rooms) {
        long[] blocks = blocks(team);
        return exchange(Exchange.Part.of(participant(rank, incarnations), team, blocks,
                rooms.make(rank.endpoint(), team, blocks, ROOM_BYTES), _ -> reduction));
    }

    private static Participant participant(SimRank rank, Supplier<int[]> incarnations) {
        return new Participant(rank.endpoint(), rank.incarnation(), rank.simulation()::isFenced, Duration.ofSeconds(10),
                incarnations);
    }

    private static long[] blocks(Team team) {
        long[] blocks = new long[team.size()];
        Arrays.fill(blocks, BLOCK);
        return blocks;
    }

    private static Exchange exchange(Exchange.Part part) {
        return new Exchange("trial", new CollectiveLog(), new Handle<>(() -> part));
    }

    private static long[] words(long first) {
        return LongStream.range(first, first + WORDS).toArray();
    }

    private static void useAll(Exchange exchange, int rank, long round) throws InterruptedException {
        Team team = exchange.team();
        int own = team.position(rank);
        int root = team.rank((int) (round % team.size()));
        long[] reduced = words(round + own);
        exchange.allReduce(reduced, Long::sum);
        for (int at = 0; at < WORDS; at++) {
            assertThat(reduced[at]).isEqualTo(team.size() * (round + at) + team.size() * (team.size() - 1L) / 2);
        }
        long[] all = new long[WORDS * team.size()];
        exchange.allGather(MemorySegment.ofArray(words(round + 10 * own)), MemorySegment.ofArray(all));
        assertThat(all).containsExactly(expected(team, round));
        long[] part = new long[WORDS];
        exchange.scatter(root, MemorySegment.ofArray(all), MemorySegment.ofArray(part));
        assertThat(part).containsExactly(words(round + 10 * own));
        long[] gathered = new long[WORDS * team.size()];
        exchange.gather(root, MemorySegment.ofArray(words(round + 10 * own)), MemorySegment.ofArray(gathered));
        assertThat(gathered).containsExactly(root == rank ? expected(team, round) : new long[gathered.length]);
        double[] doubles = {own, 0.1, round};
        exchange.reduce(root, doubles, Double::sum);
        assertThat(doubles[2]).isEqualTo(root == rank ? (double) round * team.size() : round);
    }

    private static long[] expected(Team team, long round) {
        return IntStream.range(0, team.size())
                .boxed()
                .flatMapToLong(
                        position -> Arrays.stream(words(round + 10 * position)))
                .toArray();
    }

    @Test
    void allMembersHaveWhatEachCollectivePromises() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            for (int ranks : new int[]{1, 3, 4, 6}) {
                for (Reduction reduction : Reduction.values()) {
                    Seeds.each(15, seed -> Simulation.run(seed, options(ranks, guarantees), rank -> {
                        if (rank.rank() != OUTSIDER) {
                            Exchange exchange = open(rank, team(ranks), reduction,
                                    () -> incarnations(rank.simulation()));
                            for (long round = 0; round < 3; round++) {
                                useAll(exchange, rank.rank(), round);
                            }
                        }
                    }));
                }
            }
        }
    }

    private static void useOften(SimRank rank, Reduction reduction, Maker rooms) throws InterruptedException {
        if (rank.rank() != OUTSIDER) {
            Exchange exchange = open(rank, team(rank.simulation().size()), reduction,
                    () -> incarnations(rank.simulation()), rooms);
            for (long round = 0; round < 3; round++) {
                useAll(exchange, rank.rank(), round);
            }
        }
    }

    @Test
    void brokenConnectionsDelayAnExchangeAndNothingElse() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            for (Reduction reduction : Reduction.values()) {
                Seeds.each(15, seed -> Simulation.run(seed, options(4, guarantees).breaks(0.005, 8),
                        rank -> useOften(rank, reduction, StagingBuffers::new)));
            }
        }
    }

    /**
     * A member is interrupted in the middle, or its operator throws at a value. The others are told, and the next
     * exchange is one of all again.
     */
    @Test
    void aMemberThatGivesUpIsNamedToTheOthersAndTheNextExchangeIsOneOfAll() {
        int[] failures = {0};
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            for (Reduction reduction : Reduction.values()) {
                Seeds.each(20, seed -> {
                    boolean[] heard = new boolean[4];
                    Simulation.run(seed, options(4, guarantees).breaks(0.002, 4),
                            rank -> {
                                if (rank.rank() != OUTSIDER) {
                                    giveUpOnce(rank, open(rank, team(4), reduction,
                                            () -> incarnations(rank.simulation())), failures, heard);
                                }
                            });
                });
            }
        }
        Seeds.together(() -> assertThat(failures[0]).isPositive());
    }

    private static void giveUpOnce(SimRank rank, Exchange exchange, int[] failures, boolean[] heard)
            throws InterruptedException {
        useAll(exchange, rank.rank(), 1);
        try {
            exchange.allReduce(words(7), (one, two) -> {
                if (rank.rank() == MORTAL) {
                    throw new ArithmeticException("does not like it");
                }
                return one + two;
            });
        } catch (ArithmeticException own) {
            assertThat(rank.rank()).isEqualTo(MORTAL);
        } catch (RankUnreachableException left) {
            assertThat(left.rank()).isEqualTo(MORTAL);
            assertThat(left).hasMessageContaining("has left");
            failures[0]++;
        }
        heard[rank.rank()] = true;
        // A member that had finished before is told by the next exchange. All others do not take part in that one.
        while (!IntStream.of(0, 2, MORTAL).allMatch(each -> heard[each])) {
            rank.fabric().clock().pause(8);
        }
        useAll(exchange, rank.rank(), 2);
    }

    // --- what must not go unnoticed ---

    @Test
    void oneStagingBufferInsteadOfTwoIsFound() {
        assertThat(Seeds.untilFailure(500, seed -> Simulation.run(seed, options(4, SimOptions.NETWORK_CARD),
                rank -> useOften(rank, Reduction.DIRECT,
                        (endpoint, team, blocks, roomBytes) -> new StagingBuffers(endpoint,
                                team, blocks, roomBytes) {
                            @Override
                            int room(int room) {
                                return 0;
                            }
                        }))))
                .isPositive();
    }

    @Test
    void theDeathOfAMemberIsNamedToTheOthersAndTheNextExchangeIsOneOfAll() {
        int[] failures = {0};
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(40, seed -> {
                var simulation = new Simulation(seed,
                        options(4, guarantees).killAt(MORTAL, (int) (1 + seed * 5 % 300)));
                boolean[] mortalHasFinished = {false};
                Simulation.Program program = rank -> survive(rank, failures, mortalHasFinished);
                simulation.onDeath(program).run(program);
            });
        }
        Seeds.together(() -> assertThat(failures[0]).isPositive());
    }

    /** Runs until the mortal rank has met all others often enough, in one of its lives. */
    private static void survive(SimRank rank, int[] failures, boolean[] mortalHasFinished)
            throws InterruptedException {
        if (rank.rank() == OUTSIDER) {
            return;
        }
        Simulation simulation = rank.simulation();
        int[] met = {0}; // the incarnation of the mortal rank that this rank has met last
        Exchange exchange = open(rank, team(4), Reduction.SHARED, () -> {
            int[] all = incarnations(simulation);
            met[0] = all[MORTAL];
            return all;
        });
        while (!mortalHasFinished[0]) {
            try {
                int era = 0;
                for (int passed = 0; passed < 8;) {
                    long[] sums = words(7);
                    exchange.allReduce(sums, Long::sum);
                    assertThat(sums).containsExactly(Arrays.stream(words(7)).map(word -> 3 * word).toArray());
                    // The number of exchanges in one generation is the same at all members.
                    passed = met[0] == era ? passed + 1 : 1;
                    era = met[0];
                }
                mortalHasFinished[0] |= rank.rank() == MORTAL;
            } catch (RankUnreachableException lost) {
                assertThat(lost.rank()).isEqualTo(MORTAL);
                failures[0]++;
                met[0] = 0;
            }
            // The members that the mortal rank has left in the middle of an exchange will meet it again.
            while (!mortalHasFinished[0]
                    && (met[0] == incarnations(simulation)[MORTAL] || incarnations(simulation)[MORTAL] == 0)) {
                rank.fabric().clock().pause(8);
            }
        }
    }
}
