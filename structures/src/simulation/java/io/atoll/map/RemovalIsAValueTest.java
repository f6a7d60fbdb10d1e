package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.exhaustive.Exploration;
import io.atoll.fabric.exhaustive.Process.Program;
import io.atoll.fabric.sim.History.Call;
import io.atoll.fabric.sim.Linearizability;
import io.atoll.fabric.sim.SequentialSpecification;
import io.atoll.failure.StructureName;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participants;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests {@link LongTable} itself: the verbs of a few operations on one key take effect in every possible order. It also
 * shows what becomes of increments if removal is a state.
 */
@Tag("simulation")
class RemovalIsAValueTest {

    private static final long KEY = MapWorld.KEYS.get(1);
    private static final long FIRST_VALUE = 5;

    private static MapOperation operation(Kind kind, long argument) {
        return new MapOperation(kind, KEY, argument);
    }

    private static MapOperation find() {
        return operation(Kind.FIND, 0);
    }

    private static MapOperation insert(long value) {
        return operation(Kind.INSERT, value);
    }

    private static MapOperation put(long value) {
        return operation(Kind.PUT, value);
    }

    private static MapOperation getAndPut(long value) {
        return operation(Kind.GET_AND_PUT, value);
    }

    private static MapOperation remove() {
        return operation(Kind.REMOVE, 0);
    }

    private static MapOperation increment(long delta) {
        return operation(Kind.INCREMENT, delta);
    }

    // --- the table ---

    private static Program<MapOperation, Long> table(MapOperation... operations) {
        return table(LongTableMutationTest.RIGHT, operations);
    }

    private static Program<MapOperation, Long> table(LongTableMutationTest.Tables tables, MapOperation... operations) {
        return process -> {
            MapClient client = client(process.fabric(), tables);
            return () -> {
                for (MapOperation operation : operations) {
                    process.call(operation, () -> client.perform(operation));
                }
            };
        };
    }

    private static MapClient client(Fabric fabric, LongTableMutationTest.Tables tables) {
        var participant = Participants.amongTheLiving(fabric);
        LongTable table = tables.open("map", participant,
                new FixedBlocks(new StructureName("map", "map"), null, new long[]{0}, MapWorld.PLACEMENT.buckets()));
        return MapClient.of(table);
    }

    private static Exploration<MapOperation, Long> ofTheTable() {
        int words = (int) (MapWorld.PLACEMENT.buckets() * LongBucket.SIZE / Long.BYTES);
        return new Exploration<MapOperation, Long>(words).before(table(insert(FIRST_VALUE))).afterwards(table(find()));
    }

    private static final Program<MapOperation, Long> NO_REPAIR = process -> () -> {};

    private static boolean isLinearizable(List<Call<MapOperation, Long>> calls) {
        return Linearizability.holds(calls, new MapOperation.OneKey(FIRST_VALUE));
    }

    private static void assertLinearizable(Exploration<MapOperation, Long> exploration) {
        var outcome = exploration.explore(RemovalIsAValueTest::isLinearizable);
        assertThat(outcome.counterexample()).isNull();
        assertThat(outcome.states()).as("states").isGreaterThan(100);
    }

    @Test
    void noAdditionIsLostOrCountedTwiceByRemovalAndReinsertion() {
        assertLinearizable(ofTheTable()
                .process(table(increment(10)))
                .process(table(increment(100)))
                .process(table(remove(), insert(1000))));
        assertLinearizable(ofTheTable()
                .process(table(increment(10), find()))
                .process(table(remove(), insert(1000), remove())));
        assertLinearizable(ofTheTable()
                .process(table(increment(10), remove()))
                .process(table(increment(100), remove())));
    }

    @Test
    void ofTwoWhoRemoveOrInsertOneIsToldThatItDid() {
        assertLinearizable(ofTheTable()
                .process(table(remove(), insert(10)))
                .process(table(remove(), insert(20))));
        assertLinearizable(ofTheTable()
                .process(table(put(10), remove()))
                .process(table(remove()))
                .process(table(increment(100))));
    }

    @Test
    void noValueIsReplacedTwiceOrUnseen() {
        assertLinearizable(ofTheTable()
                .process(table(getAndPut(10)))
                .process(table(getAndPut(20), remove()))
                .process(table(increment(100))));
    }

    @Test
    void whoeverStopsBetweenAnyTwoStepsLeavesNothingHalfDone() {
        assertLinearizable(ofTheTable()
                .mortal(table(remove(), insert(1000)), NO_REPAIR)
                .mortal(table(increment(10)), NO_REPAIR)
                .process(table(find())));
    }

    @Test
    void anIncrementOfReadAndWriteIsFound() {
        var outcome = ofTheTable().process(table(LongTableMutationTest.IncrementsByReadAndWrite::new, increment(10)))
                .process(table(increment(100)))
                .explore(RemovalIsAValueTest::isLinearizable);
        assertThat(outcome.counterexample()).isNotNull();
    }

    // --- a removal that is a state, as in DistributedMap, and increments that are one getAndAdd ---

    private static final long STATE = 0;
    private static final long VALUE = 8;
    private static final long RESERVED = 1;
    private static final long READY = 2;
    private static final long TOMBSTONE = 3;

    /** @param tells true if a removal returns the value; false if it only says that there was one */
    private record RemovalIsAState(Fabric fabric, boolean tells) {

        long perform(MapOperation operation) {
            Batch batch = fabric.batch();
            batch.read(0, STATE, 0, 16);
            batch.complete();
            long state = batch.word(0);
            long value = batch.word(8);
            return switch (operation.kind()) {
                case FIND -> state == READY ? value : MapOperation.NONE;
                case INSERT -> state != READY && insert(state, operation.argument()) ? 1 : 0;
                case REMOVE -> {
                    boolean removes = state == READY && exchange(READY, TOMBSTONE);
                    yield removed(removes ? value : MapOperation.NONE, tells);
                }
                case INCREMENT -> state == READY
                        ? fabric.getAndAdd(0, VALUE, operation.argument()) + operation.argument()
                        : MapOperation.NONE;
                default -> throw new UnsupportedOperationException("not needed here");
            };
        }

        static long removed(long value, boolean tells) {
            return tells ? value : value == MapOperation.NONE ? 0 : 1;
        }

        private boolean insert(long state, long value) {
            boolean inserts = exchange(state, RESERVED);
            if (inserts) {
                fabric.writeWord(0, VALUE, value);
                fabric.writeWord(0, STATE, READY);
            }
            return inserts;
        }

        private boolean exchange(long expected, long state) {
            return fabric.compareAndExchange(0, STATE, expected, state) == expected;
        }
    }

    /** Increments of a key that has no value do nothing here. */
    private record StateSpecification(boolean tells) implements SequentialSpecification<Long, MapOperation, Long> {

        @Override
        public Long initial() {
            return FIRST_VALUE;
        }

        @Override
        public Outcome<Long, Long> apply(Long state, MapOperation operation) {
            return switch (operation.kind()) {
                case INCREMENT -> state == MapOperation.NONE
                        ? new Outcome<>(state, state)
                        : MapOperation.ONE_KEY.apply(state, operation);
                case REMOVE -> new Outcome<>(MapOperation.NONE, RemovalIsAState.removed(state, tells));
                default -> MapOperation.ONE_KEY.apply(state, operation);
            };
        }
    }

    private static Program<MapOperation, Long> state(boolean tells, MapOperation... operations) {
        return process -> {
            var map = new RemovalIsAState(process.fabric(), tells);
            return () -> {
                for (MapOperation operation : operations) {
                    process.call(operation, () -> map.perform(operation));
                }
            };
        };
    }

    private static Exploration<MapOperation, Long> ofTheState(boolean tells) {
        return new Exploration<MapOperation, Long>(2).before(state(tells, insert(FIRST_VALUE)))
                .process(state(tells, increment(1)))
                .afterwards(state(tells, find()));
    }

    private static @Nullable List<Call<MapOperation, Long>> counterexample(Exploration<MapOperation, Long> exploration,
            boolean tells) {
        return exploration.explore(calls -> Linearizability.holds(calls, new StateSpecification(tells)))
                .counterexample();
    }

    @Test
    void whereRemovalIsAStateACountIsLostToIt() {
        assertThat(counterexample(ofTheState(true).process(state(true, remove())), true))
                .anySatisfy(call -> assertThat(call.operation()).isEqualTo(remove()))
                .anySatisfy(call -> assertThat(call.result()).as("of the increment").isEqualTo(FIRST_VALUE + 1));
    }

    @Test
    void whereRemovalIsAStateAnAdditionCountsWhatADeadRankDidNotInsert() {
        MapOperation[] reinsertion = {remove(), insert(10)};
        assertThat(counterexample(ofTheState(false).process(state(false, reinsertion)), false))
                .as("as long as nobody dies, and who removes is not told what")
                .isNull();
        Program<MapOperation, Long> repair = process -> () -> process.fabric()
                .compareAndExchange(0, STATE, RESERVED, TOMBSTONE);
        assertThat(counterexample(ofTheState(false).mortal(state(false, reinsertion), repair), false))
                .anySatisfy(call -> assertThat(call.result()).as("of the increment").isEqualTo(11))
                .anySatisfy(call -> assertThat(call.isPending()).as("the insertion").isTrue())
                .last()
                .satisfies(call -> assertThat(call.result()).as("what is there").isEqualTo(MapOperation.NONE));
    }
}
