package io.atoll.atomic;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Wrapper;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.History;
import io.atoll.fabric.sim.Linearizability;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SequentialSpecification;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.heap.MutatedFabric;
import io.atoll.memory.GlobalPointer;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Every operation takes effect at once, whichever other operations run at the same time, by CPU or fabric. */
@Tag("simulation")
class AtomicObjectSimulationTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int RANKS = 3;
    private static final int OPERATIONS = 6;
    private static final int SEEDS = 1_000;
    private static final long WORD = 64;

    private enum Kind {
        READ, WRITE, EXCHANGE, COMPARE_AND_SWAP, READ_ABA, WRITE_ABA, EXCHANGE_ABA, COMPARE_AND_SWAP_ABA
    }

    private static final List<Kind> PLAIN = List.of(Kind.READ, Kind.WRITE, Kind.EXCHANGE, Kind.COMPARE_AND_SWAP);

    /** An operation. Objects are numbered; 0 is null. */
    private record Operation(Kind kind, int expected, int count, int value) {}

    /** A state, or an answer. The count is -1 if it was not asked for. */
    private record Seen(int object, int count) {

        static Seen success(boolean success) {
            return new Seen(success ? 1 : 0, -1);
        }
    }

    private static final SequentialSpecification<Seen, Operation, Seen> SPECIFICATION = //
            new SequentialSpecification<>() {

                @Override
                public Seen initial() {
                    return new Seen(0, 0);
                }

                @Override
                public Outcome<Seen, Seen> apply(Seen now, Operation operation) {
                    Seen changed = new Seen(operation.value, now.count + 1);
                    return switch (operation.kind) {
                        case READ -> new Outcome<>(now, new Seen(now.object, -1));
                        case READ_ABA -> new Outcome<>(now, now);
                        case WRITE, WRITE_ABA -> new Outcome<>(changed, Seen.success(true));
                        case EXCHANGE -> new Outcome<>(changed, new Seen(now.object, -1));
                        case EXCHANGE_ABA -> new Outcome<>(changed, now);
                        case COMPARE_AND_SWAP -> swap(now, changed, now.object == operation.expected);
                        case COMPARE_AND_SWAP_ABA ->
                            swap(now, changed, now.object == operation.expected && now.count == operation.count);
                    };
                }

                private Outcome<Seen, Seen> swap(Seen now, Seen changed, boolean succeeds) {
                    return new Outcome<>(succeeds ? changed : now, Seen.success(succeeds));
                }
            };

    private static GlobalPointer pointer(int object) {
        return object == 0 ? null : new GlobalPointer(1, object * 64L);
    }

    private static int object(GlobalPointer pointer) {
        return pointer == null ? 0 : (int) pointer.offset() / 64;
    }

    private static Seen perform(ObjectWord<GlobalPointer> word, Operation operation) {
        GlobalPointer value = pointer(operation.value);
        GlobalPointer expected = pointer(operation.expected);
        return switch (operation.kind) {
            case READ -> new Seen(object(word.read()), -1);
            case READ_ABA -> seen(word.readAba());
            case EXCHANGE -> new Seen(object(word.exchange(value)), -1);
            case EXCHANGE_ABA -> seen(word.exchangeAba(value));
            case COMPARE_AND_SWAP -> Seen.success(word.compareAndSwap(expected, value));
            case COMPARE_AND_SWAP_ABA ->
                Seen.success(word.compareAndSwapAba(aba(word, expected, operation.count), value));
            case WRITE -> {
                word.write(value);
                yield Seen.success(true);
            }
            case WRITE_ABA -> {
                word.writeAba(value);
                yield Seen.success(true);
            }
        };
    }

    /** Returns the state as if it had been read, even if it never existed. */
    private static Aba<GlobalPointer> aba(ObjectWord<GlobalPointer> word, GlobalPointer object, int count) {
        long pointer = object == null ? 0 : object.toWord();
        long uncounted = object == null ? 0 : word.uncounted(pointer);
        return new Aba<>(word, pointer, word.counted(uncounted, count - 1));
    }

    private static Seen seen(Aba<GlobalPointer> aba) {
        return new Seen(object(aba.object()), aba.count());
    }

    private static Operation any(SplittableRandom random, List<Kind> kinds, Seen last) {
        boolean asSeen = random.nextInt(4) > 0;
        return new Operation(kinds.get(random.nextInt(kinds.size())), asSeen ? last.object : random.nextInt(3),
                Math.max(0, last.count), random.nextInt(3));
    }

    private static void work(SimRank rank, History<Operation, Seen> history, List<Kind> kinds,
            ObjectWord<GlobalPointer> word) {
        Seen last = new Seen(0, 0);
        for (int number = 0; number < OPERATIONS; number++) {
            Operation operation = any(rank.random(), kinds, last);
            Seen result = history.call(operation, () -> perform(word, operation));
            boolean isState = operation.kind == Kind.READ || operation.kind == Kind.READ_ABA;
            last = isState ? result : last;
        }
    }

    private static Seeds.Trial trial(SimOptions options, List<Kind> kinds,
            Function<SimRank, ObjectWord<GlobalPointer>> word) {
        return seed -> {
            var simulation = new Simulation(seed, options);
            var history = new History<Operation, Seen>(simulation);
            Simulation.Program program = rank -> work(rank, history, kinds, word.apply(rank));
            simulation.onDeath(program).run(program);
            Linearizability.check(history, SPECIFICATION);
        };
    }

    private static SimOptions options(Guarantees guarantees) {
        return SimOptions.ranks(RANKS).guarantees(guarantees).pauses(0.02).kills(0.01, 1, 2);
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void plainObjectsChangeAtOnce(Guarantees guarantees) {
        Seeds.each(SEEDS, trial(options(guarantees), PLAIN,
                rank -> AtomicObject.plain(rank.endpoint(), 1, WORD, ObjectType.POINTER)));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void protectedObjectsChangeAtOnceWhicheverOperationsAreMixed(Guarantees guarantees) {
        Seeds.each(SEEDS, trial(options(guarantees), List.of(Kind.values()),
                rank -> AtomicObject.abaProtected(rank.endpoint(), 1, WORD, ObjectType.POINTER)));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void localObjectsChangeAtOnceForTheThreadsOfTheirRank(Guarantees guarantees) {
        SimOptions options = SimOptions.ranks(2).guarantees(guarantees).pauses(0.02);
        Seeds.each(SEEDS, seed -> {
            var simulation = new Simulation(seed, options);
            var history = new History<Operation, Seen>(simulation);
            simulation.run(rank -> {
                if (rank.rank() == 1) {
                    rank.inParallel(RANKS, thread -> work(rank, history, List.of(Kind.values()),
                            LocalAtomicObject.abaProtected(rank.endpoint(), WORD, ObjectType.POINTER)));
                }
            });
            Linearizability.check(history, SPECIFICATION);
        });
    }

    // --- what must not go unnoticed ---

    private static void assertIsFound(SimOptions options, Function<SimRank, ObjectWord<GlobalPointer>> word) {
        assertThat(Seeds.untilFailure(SEEDS, trial(options, PLAIN, word))).isPositive();
    }

    private static Fabric writingInsteadOfExchanging(Fabric fabric) {
        return new MutatedFabric(fabric) {

            @Override
            public long getAndSet(int rank, long offset, long value) {
                long before = readWord(rank, offset);
                writeWord(rank, offset, value);
                flush(rank);
                return before;
            }
        };
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aPlainWriteOfTheFabricInsteadOfAnAtomicIsFound(Guarantees guarantees) {
        assertIsFound(options(guarantees).unmapped(), rank -> {
            rank.endpoint().replaceFabric(AtomicObjectSimulationTest::writingInsteadOfExchanging);
            return AtomicObject.plain(rank.endpoint(), 1, WORD, ObjectType.POINTER);
        });
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void anObjectThatTheOwnerUsesByTheCpuIsFoundWhereTheFabricsAtomicsAreNotTheCpus(Guarantees guarantees) {
        Function<SimRank, ObjectWord<GlobalPointer>> mixed = rank -> rank.rank() == 1
                ? LocalAtomicObject.plain(rank.endpoint(), WORD, ObjectType.POINTER)
                : AtomicObject.plain(rank.endpoint(), 1, WORD, ObjectType.POINTER);
        if (guarantees.coherentWithCpu()) {
            Seeds.each(SEEDS, trial(options(guarantees), PLAIN, mixed));
        } else {
            assertIsFound(options(guarantees), mixed);
        }
    }
}
