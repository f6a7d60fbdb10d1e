package io.atoll.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Wrapper;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.sim.History;
import io.atoll.fabric.sim.Linearizability;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SequentialSpecification;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests every interleaving that the seeds find, with deaths between any two steps. The filters are as small as
 * possible, one word at each rank. So elements meet in their words all the time.
 */
@Tag("simulation")
class FilterSimulationTest {

    private static final int RANKS = 3;
    private static final long[] OFFSETS = {64, 128, 192};
    private static final long[] OTHER_OFFSETS = {256, 320, 384};
    private static final Guarantees COHERENT_CARD = new Guarantees(AtomicDomain.COHERENT_WITH_CPU, 64, true, false,
            false);
    private static final Guarantees WITH_FETCH_OR = new Guarantees(AtomicDomain.FABRIC_ONLY, 8, true, true, true);
    private static final int TOGETHER = 3; // the elements of one call
    private static final int PATTERN_BITS = 3;
    private static final int OPERATIONS = 8;
    private static final int ELEMENTS = 9;

    private static final SimOptions NETWORK = SimOptions.ranks(RANKS).guarantees(SimOptions.NETWORK_CARD);

    private enum Kind {
        ADD, ASK, CLEAR, UNITE
    }

    private record Operation(Kind kind, long hash) {

        static Operation any(SplittableRandom random) {
            return new Operation(random.nextInt(3) == 0 ? Kind.ASK : Kind.ADD, FixedHash.of(random.nextInt(ELEMENTS)));
        }

        boolean perform(FilterBlocks blocks) {
            return kind == Kind.ADD ? blocks.add(hash) : blocks.mightContain(hash);
        }

        static long[] hashes(List<Operation> operations) {
            return operations.stream().mapToLong(Operation::hash).toArray();
        }

        int owner() {
            return KeyHash.rank(hash, RANKS);
        }
    }

    /** One word of a filter. It makes the mistakes that a filter may make, and no others. */
    private static final SequentialSpecification<Long, Operation, Boolean> WORD = new SequentialSpecification<>() {

        @Override
        public Long initial() {
            return 0L;
        }

        @Override
        public Outcome<Long, Boolean> apply(Long bits, Operation operation) {
            long pattern = FilterBlocks.pattern(operation.hash, PATTERN_BITS);
            boolean there = (bits & pattern) == pattern;
            return switch (operation.kind) {
                case ADD -> new Outcome<>(bits | pattern, !there);
                case ASK -> new Outcome<>(bits, there);
                case CLEAR -> new Outcome<>(0L, true);
                case UNITE -> new Outcome<>(bits | pattern, true);
            };
        }
    };

    private static FilterBlocks blocks(Fabric fabric) {
        return new FilterBlocks(new Endpoint(fabric), FixedHash.HASHING, OFFSETS, 1, PATTERN_BITS);
    }

    /** Returns the blocks of another filter, whose elements are added by unions. */
    private static FilterBlocks others(Fabric fabric) {
        return new FilterBlocks(new Endpoint(fabric), FixedHash.HASHING, OTHER_OFFSETS, 1, PATTERN_BITS);
    }

    /** One element for each rank. */
    private static final List<Operation> UNION = IntStream.range(0, RANKS)
            .mapToObj(rank -> new Operation(Kind.UNITE,
                    LongStream.range(0, ELEMENTS)
                            .map(FixedHash::of)
                            .filter(hash -> KeyHash.rank(hash, RANKS) == rank)
                            .findFirst()
                            .orElseThrow()))
            .toList();

    private static final List<Operation> CLEAR = UNION.stream()
            .map(operation -> new Operation(Kind.CLEAR, operation.hash))
            .toList();

    private static void judge(long seed, SimOptions options) {
        judge(seed, options, fabric -> fabric);
    }

    /** Lets every rank, and those that come back from death, add and ask as the seed says. */
    private static void judge(long seed, SimOptions options, UnaryOperator<Fabric> mutation) {
        var simulation = new Simulation(seed, options);
        var history = new History<Operation, Boolean>(simulation);
        Simulation.Program program = rank -> {
            FilterBlocks blocks = blocks(mutation.apply(rank.fabric()));
            for (int count = 0; count < OPERATIONS; count++) {
                Operation operation = Operation.any(rank.random());
                history.call(operation, () -> operation.perform(blocks));
            }
        };
        simulation.onDeath(program).run(program);
        Linearizability.checkPerKey(history, Operation::owner, WORD);
        assertNothingWasForgotten(history, blocks(simulation.fabric(0)));
    }

    /** Like {@link #judge}, with calls for several elements and for the whole filter. */
    private static void judgeMany(long seed, SimOptions options, UnaryOperator<Fabric> mutation) {
        var simulation = new Simulation(seed, options);
        for (Operation united : UNION) {
            simulation.fabric(united.owner())
                    .local()
                    .setRelease(OTHER_OFFSETS[united.owner()],
                            FilterBlocks.pattern(united.hash, PATTERN_BITS));
        }
        var history = new History<Operation, Boolean>(simulation);
        Simulation.Program program = rank -> {
            Fabric fabric = mutation.apply(rank.fabric());
            FilterBlocks blocks = blocks(fabric);
            for (int count = 0; count < OPERATIONS; count++) {
                many(rank.random(), blocks, others(fabric), history);
            }
        };
        simulation.onDeath(program).run(program);
        Linearizability.checkPerKey(history, Operation::owner, WORD);
    }

    private static void many(SplittableRandom random, FilterBlocks blocks, FilterBlocks others,
            History<Operation, Boolean> history) {
        List<Operation> several = Stream.generate(() -> Operation.any(random)).limit(TOGETHER).toList();
        switch (random.nextInt(8)) {
            case 0 -> history.callAll(CLEAR, () -> done(new WholeFilter(blocks)::clear));
            case 1 -> history.callAll(UNION, () -> done(() -> new WholeFilter(blocks).union(others)));
            case 2, 3, 4 -> history.callAll(several.stream().map(one -> new Operation(Kind.ADD, one.hash)).toList(),
                    () -> results(new ManyElements(blocks, Operation.hashes(several)).add()));
            case 5 -> history.callAll(several.stream().map(one -> new Operation(Kind.ASK, one.hash)).toList(),
                    () -> results(new ManyElements(blocks, Operation.hashes(several)).mightContain()));
            default -> history.call(several.getFirst(), () -> several.getFirst().perform(blocks));
        }
    }

    private static List<Boolean> done(Runnable action) {
        action.run();
        return Collections.nCopies(RANKS, true);
    }

    private static List<Boolean> results(boolean[] results) {
        return IntStream.range(0, results.length).mapToObj(index -> results[index]).toList();
    }

    private static void assertNothingWasForgotten(History<Operation, Boolean> history, FilterBlocks blocks) {
        for (History.Call<Operation, Boolean> call : history.calls()) {
            if (call.operation().kind == Kind.ADD && !call.isPending()) {
                assertThat(blocks.mightContain(call.operation().hash)).as(call.toString()).isTrue();
            }
        }
    }

    @Test
    void addingAndAskingTakeEffectAtOnce() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            SimOptions options = SimOptions.ranks(RANKS).guarantees(guarantees).pauses(0.02);
            Seeds.each(2_000, seed -> judge(seed, options));
        }
    }

    @Test
    void deathsAtAnyStepLoseNothingThatWasAdded() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            SimOptions options = SimOptions.ranks(RANKS).guarantees(guarantees).pauses(0.02).kills(0.03, 1, 2);
            Seeds.each(2_000, seed -> judge(seed, options));
            Seeds.each(1_000, seed -> judge(seed, options.zombies()));
        }
    }

    @Test
    void aDeathBetweenAnyTwoStepsLosesNothingThatWasAdded() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            for (int step = 1; step <= 4 * OPERATIONS; step++) {
                SimOptions options = SimOptions.ranks(RANKS).guarantees(guarantees).killAt(1, step);
                Seeds.each(20, seed -> judge(seed, options));
            }
        }
    }

    @Test
    void ofAllAddsOfOneElementExactlyOneIsNew() {
        long[] hashes = hashesWithoutMistakes();
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            SimOptions options = SimOptions.ranks(RANKS).guarantees(guarantees).pauses(0.02);
            Seeds.each(2_000, seed -> {
                int[] news = new int[hashes.length];
                Simulation.run(seed, options, rank -> {
                    FilterBlocks blocks = blocks(rank.fabric());
                    int first = rank.random().nextInt(hashes.length);
                    for (int count = 0; count < hashes.length; count++) {
                        int index = (first + count) % hashes.length;
                        boolean isNew = blocks.add(hashes[index]);
                        news[index] += isNew ? 1 : 0; // in one step: other ranks count, too
                    }
                });
                assertThat(news).containsOnly(1);
            });
        }
    }

    /** Returns elements that share words but no bits: none can be there by mistake. */
    private static long[] hashesWithoutMistakes() {
        long[] taken = new long[RANKS];
        return LongStream.range(0, 40).map(FixedHash::of).filter(hash -> {
            int owner = KeyHash.rank(hash, RANKS);
            long pattern = FilterBlocks.pattern(hash, PATTERN_BITS);
            boolean disjoint = (taken[owner] & pattern) == 0;
            taken[owner] |= disjoint ? pattern : 0;
            return disjoint;
        }).limit(OPERATIONS).toArray();
    }

    @Test
    void manyElementsAndWholeFiltersTakeEffectElementByElement() {
        for (Guarantees guarantees : List.of(SimOptions.SHARED_MEMORY, SimOptions.NETWORK_CARD, SimOptions.WEAKEST,
                COHERENT_CARD, WITH_FETCH_OR)) {
            SimOptions options = SimOptions.ranks(RANKS).guarantees(guarantees).pauses(0.02);
            Seeds.each(1_000, seed -> judgeMany(seed, options, fabric -> fabric));
            Seeds.each(500, seed -> judgeMany(seed, options.kills(0.03, 1, 2), fabric -> fabric));
        }
    }

    // --- what must not go unnoticed ---

    @Test
    void theFabricsOwnWayIsFoundRightThoughItTakesTheWayOfTheOthers() {
        Seeds.each(200, seed -> judge(seed, NETWORK, fabric -> mutate(fabric, Fabric::getAndBitwiseOr)));
    }

    @Test
    void readingAndWritingInsteadOfAnAtomicIsFound() {
        assertIsFound((fabric, rank, offset, bits) -> {
            long current = fabric.readWord(rank, offset);
            fabric.writeWord(rank, offset, current | bits);
            return current;
        });
    }

    @Test
    void givingUpAfterTheFirstCompareAndExchangeIsFound() {
        assertIsFound((fabric, rank, offset, bits) -> {
            long current = fabric.readWord(rank, offset);
            return fabric.compareAndExchange(rank, offset, current, current | bits);
        });
    }

    @Test
    void answeringByWhatWasReadInsteadOfWhatWasExchangedIsFound() {
        assertIsFound((fabric, rank, offset, bits) -> {
            long first = fabric.readWord(rank, offset);
            fabric.getAndBitwiseOr(rank, offset, bits);
            return first;
        });
    }

    @Test
    void aPatternInTwoAtomicsIsFound() {
        assertIsFound((fabric, rank, offset, bits) -> {
            long lowest = Long.lowestOneBit(bits);
            return fabric.getAndBitwiseOr(rank, offset, lowest) & lowest
                    | fabric.getAndBitwiseOr(rank, offset, bits & ~lowest) & ~lowest;
        });
    }

    /** Sets bits in another way than the fabric's. */
    private interface BitwiseOr {
        long getAndBitwiseOr(Fabric fabric, int rank, long offset, long bits);
    }

    private static void assertIsFound(BitwiseOr mutation) {
        assertThat(Seeds.untilFailure(200, seed -> judge(seed, NETWORK, fabric -> mutate(fabric, mutation))))
                .isPositive();
    }

    @Test
    void takingEveryExchangeForOneThatSucceededIsFound() {
        assertIsFoundInMany(fabric -> mutate(Fabric.class, fabric, "batch", _ -> {
            List<Long> expected = new ArrayList<>();
            Batch batch = mutate(Batch.class, fabric.batch(), "result", arguments -> expected.get((int) arguments[0]));
            return mutate(Batch.class, batch, "compareAndExchange", arguments -> {
                expected.add((Long) arguments[2]);
                return batch.compareAndExchange((int) arguments[0], (long) arguments[1], (long) arguments[2],
                        (long) arguments[3]);
            });
        }));
    }

    @Test
    void writingInsteadOfExchangingIsFound() {
        assertIsFoundInMany(fabric -> mutate(Fabric.class, fabric, "batch", _ -> {
            List<Long> expected = new ArrayList<>();
            Batch batch = mutate(Batch.class, fabric.batch(), "result", arguments -> expected.get((int) arguments[0]));
            return mutate(Batch.class, batch, "compareAndExchange", arguments -> {
                batch.writeWord((int) arguments[0], (long) arguments[1], (long) arguments[3]);
                expected.add((Long) arguments[2]);
                return expected.size() - 1;
            });
        }));
    }

    /** Reads the words, and sets the bits later. */
    @Test
    void answeringByWhatWasReadBeforeManyBitsAreSetIsFound() {
        SimOptions options = SimOptions.ranks(RANKS).guarantees(WITH_FETCH_OR);
        UnaryOperator<Fabric> mistake = fabric -> mutate(Fabric.class, fabric, "batch", _ -> {
            List<Long> read = new ArrayList<>();
            Batch batch = mutate(Batch.class, fabric.batch(), "result", arguments -> read.get((int) arguments[0]));
            return mutate(Batch.class, batch, "getAndBitwiseOr", arguments -> {
                read.add(fabric.readWord((int) arguments[0], (long) arguments[1]));
                return batch.getAndBitwiseOr((int) arguments[0], (long) arguments[1], (long) arguments[2]);
            });
        });
        assertThat(Seeds.untilFailure(500, seed -> judgeMany(seed, options, mistake))).isPositive();
    }

    @Test
    void clearingByWritesWhereAtomicsAreNotTheProcessorsIsFound() {
        assertIsFoundInMany(fabric -> mutate(Fabric.class, fabric, "guarantees", _ -> COHERENT_CARD));
    }

    @Test
    void aClearThatDoesNotAwaitItsWritesIsFound() {
        SimOptions options = SimOptions.ranks(RANKS).guarantees(COHERENT_CARD);
        assertThat(Seeds.untilFailure(500,
                seed -> judgeMany(seed, options, fabric -> mutate(Fabric.class, fabric, "flush", _ -> null))))
                .isPositive();
    }

    private static void assertIsFoundInMany(UnaryOperator<Fabric> mutation) {
        assertThat(Seeds.untilFailure(500, seed -> judgeMany(seed, NETWORK, mutation))).isPositive();
    }

    private static Fabric mutate(Fabric fabric, BitwiseOr mutation) {
        return mutate(Fabric.class, fabric, "getAndBitwiseOr", arguments -> mutation.getAndBitwiseOr(fabric,
                (int) arguments[0], (long) arguments[1], (long) arguments[2]));
    }

    /** Returns an object that behaves like {@code faithful} in all methods but the one of that name. */
    private static <T> T mutate(Class<T> type, T faithful, String name, Function<Object[], @Nullable Object> mutation) {
        return Wrapper.around(faithful, type,
                call -> call.isOf(name) ? mutation.apply(call.arguments()) : call.proceed());
    }
}
