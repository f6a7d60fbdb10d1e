package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.exhaustive.Exploration;
import io.atoll.fabric.exhaustive.Process;
import io.atoll.fabric.exhaustive.Process.Program;
import io.atoll.fabric.sim.History.Call;
import io.atoll.fabric.sim.Linearizability;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participants;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests {@link LongMover#move} and {@link LongMover#moveTogether} themselves, together with a few operations on the key
 * that is moved. Their verbs take effect in every possible order.
 */
class LongMoveTest {

    private static final long KEY = MapWorld.KEYS.get(1);
    private static final long FIRST_VALUE = 5;
    private static final long HOME = Block.home(TwoBlocks.OLD, FixedHash.of(KEY));

    private static MapOperation operation(Kind kind, long argument) {
        return new MapOperation(kind, KEY, argument);
    }

    private static final MapOperation FIND = operation(Kind.FIND, 0);
    private static final MapOperation REMOVE = operation(Kind.REMOVE, 0);

    private static MapOperation increment(long delta) {
        return operation(Kind.INCREMENT, delta);
    }

    private static MapOperation insert(long value) {
        return operation(Kind.INSERT, value);
    }

    private static LongTable table(Process<MapOperation, Long> process, Function<LongTable, Mover> movers) {
        var participant = Participants.amongTheLiving(process.fabric());
        var reader = new LongReader(participant.endpoint(), new TwoBlocks(LongBucket.SIZE),
                new KeyHash(participant.seed()));
        return new LongTable(new LongWriter("map", participant, reader), movers, null);
    }

    private static Program<MapOperation, Long> operations(MapOperation... operations) {
        return process -> () -> {
            // Opened for each run: one that ended in the middle may have left a hold.
            MapClient client = MapClient.of(table(process, LongMover::new));
            for (MapOperation operation : operations) {
                process.call(operation, () -> client.perform(operation));
            }
        };
    }

    private static Program<MapOperation, Long> mover(Function<LongTable, Mover> movers) {
        return process -> () -> {
            Mover mover = movers.apply(table(process, movers));
            if (process.fabric().executesAtOnce(0)) {
                mover.move(0, TwoBlocks.OLD, HOME, TwoBlocks.next(LongBucket.SIZE));
            } else {
                mover.moveTogether(0, TwoBlocks.OLD, HOME, 1, TwoBlocks.next(LongBucket.SIZE));
            }
        };
    }

    /** The mover that takes the stripe over finishes, then all buckets are looked at. */
    private static Program<MapOperation, Long> anotherMover() {
        return process -> {
            Runnable moves = mover(LongMover::new).of(process);
            Runnable finds = operations(FIND).of(process);
            return () -> {
                moves.run();
                finds.run();
            };
        };
    }

    private static final Program<MapOperation, Long> NO_REPAIR = process -> () -> {};

    private static Exploration<MapOperation, Long> beginning(boolean overNetwork) {
        return new Exploration<MapOperation, Long>(TwoBlocks.words(LongBucket.SIZE)).overNetwork(overNetwork)
                .before(operations(insert(FIRST_VALUE)))
                .afterwards(anotherMover());
    }

    private static boolean isLinearizable(List<Call<MapOperation, Long>> calls) {
        return Linearizability.holds(calls, new MapOperation.OneKey(FIRST_VALUE));
    }

    private static void assertRight(Exploration<MapOperation, Long> exploration) {
        var outcome = exploration.explore(LongMoveTest::isLinearizable);
        assertThat(outcome.counterexample()).isNull();
        assertThat(outcome.states()).as("states").isGreaterThan(100);
    }

    private static void assertWrong(boolean overNetwork, Function<LongTable, Mover> movers) {
        var outcome = beginning(overNetwork).mortal(mover(movers), NO_REPAIR)
                .process(operations(increment(10), REMOVE))
                .explore(LongMoveTest::isLinearizable);
        assertThat(outcome.counterexample()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noAdditionIsLostOrCountedTwiceByAMoverWhoMayDieAtAnyStep(boolean overNetwork) {
        assertRight(beginning(overNetwork).mortal(mover(LongMover::new), NO_REPAIR)
                .process(operations(increment(10), FIND)));
        assertRight(beginning(overNetwork).mortal(mover(LongMover::new), NO_REPAIR)
                .process(operations(increment(10)))
                .process(operations(increment(100))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsRemovedBeforeAfterOrMeanwhileDoesNotComeBack(boolean overNetwork) {
        assertRight(beginning(overNetwork).mortal(mover(LongMover::new), NO_REPAIR)
                .process(operations(REMOVE, FIND)));
        assertRight(beginning(overNetwork).mortal(mover(LongMover::new), NO_REPAIR)
                .process(operations(REMOVE, insert(20))));
        assertRight(beginning(overNetwork).mortal(mover(LongMover::new), NO_REPAIR)
                .process(operations(increment(10), REMOVE)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBucketThatBecomesMovedBeforeItIsCopiedIsFound(boolean overNetwork) {
        assertWrong(overNetwork, table -> new LongMover(table) {
            @Override
            boolean copy(int owner, long next, long key, long word) {
                return true;
            }

            @Override
            boolean replaces(long earlier, long copy) {
                return false;
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBucketThatBecomesMovedWhateverWasCopiedIsFound(boolean overNetwork) {
        assertWrong(overNetwork, table -> new LongMover(table) {
            @Override
            boolean seal(int owner, long bucket, long copied) {
                table.endpoint.writeWord(owner, bucket, LongBucket.MOVED);
                return true;
            }

            @Override
            int seal(Batch batch, int owner, long bucket, long copied) {
                return SealMistakes.whateverWasCopied(batch, owner, bucket, LongBucket.MOVED);
            }
        });
    }
}
