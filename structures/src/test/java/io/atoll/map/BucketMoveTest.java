package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.FixedHash;
import io.atoll.codec.WideCodec;
import io.atoll.fabric.Batch;
import io.atoll.fabric.exhaustive.Exploration;
import io.atoll.fabric.exhaustive.Process;
import io.atoll.fabric.exhaustive.Process.Program;
import io.atoll.fabric.sim.Linearizability;
import io.atoll.world.Participants;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests {@link BucketMover#move} and {@link BucketMover#moveTogether} themselves, together with a few operations on the
 * key that is moved. Their verbs take effect in every possible order.
 */
class BucketMoveTest {

    private static final WideCodec WORD = new WideCodec(1);
    private static final Bucket BUCKET = DistributedMapSimulation.bucket(WORD, WORD);
    private static final long KEY = MapWorld.KEYS.get(1);
    private static final long HOME = Block.home(TwoBlocks.OLD, FixedHash.of(KEY));

    private static final MapOperation INSERT = MapOperation.insert(KEY, 5);
    private static final MapOperation PUT = MapOperation.put(KEY, 6);
    private static final MapOperation FIND = MapOperation.find(KEY);
    private static final MapOperation REMOVE = new MapOperation(MapOperation.Kind.REMOVE, KEY, 0);

    private static BucketTable table(Process<MapOperation, Long> process, Function<BucketTable, Mover> movers) {
        var participant = Participants.amongTheLiving(process.fabric());
        var reader = new BucketReader(participant.endpoint(), BUCKET, new TwoBlocks(BUCKET.size),
                InlineEntries.hashing(participant, WORD, Long::longValue));
        return new BucketTable(new BucketWriter("map", participant, reader), movers, null);
    }

    private static Program<MapOperation, Long> operations(MapOperation... operations) {
        return process -> () -> {
            // Opened for each run: one that ended in the middle may have left a hold.
            var entries = new InlineEntries<>(table(process, BucketMover::new), WORD, WORD, Long::longValue);
            MapClient client = MapClient.of(entries);
            for (MapOperation operation : operations) {
                process.call(operation, () -> client.perform(operation));
            }
        };
    }

    private static Program<MapOperation, Long> mover(Function<BucketTable, Mover> movers) {
        return process -> () -> {
            Mover mover = movers.apply(table(process, movers));
            if (process.fabric().executesAtOnce(0)) {
                mover.move(0, TwoBlocks.OLD, HOME, TwoBlocks.next(BUCKET.size));
            } else {
                mover.moveTogether(0, TwoBlocks.OLD, HOME, 1, TwoBlocks.next(BUCKET.size));
            }
        };
    }

    /** The mover that takes the stripe over finishes, then all buckets are looked at. */
    private static Program<MapOperation, Long> anotherMover() {
        return process -> {
            Runnable moves = mover(BucketMover::new).of(process);
            Runnable finds = operations(FIND).of(process);
            return () -> {
                moves.run();
                finds.run();
            };
        };
    }

    private static final Program<MapOperation, Long> NO_REPAIR = process -> () -> {};

    private static Exploration.Outcome<MapOperation, Long> explore(boolean overNetwork,
            Function<BucketTable, Mover> movers, MapOperation... operations) {
        return new Exploration<MapOperation, Long>(TwoBlocks.words(BUCKET.size)).overNetwork(overNetwork)
                .before(operations(INSERT))
                .afterwards(anotherMover())
                .mortal(mover(movers), NO_REPAIR)
                .process(operations(operations))
                .explore(calls -> Linearizability.holds(calls, new MapOperation.OneKey(INSERT.argument())));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nothingIsLostAndNothingComesBackByAMoverWhoMayDieAtAnyStep(boolean overNetwork) {
        for (MapOperation[] operations : new MapOperation[][]{{PUT, FIND}, {REMOVE, FIND}, {REMOVE, PUT}}) {
            var outcome = explore(overNetwork, BucketMover::new, operations);
            assertThat(outcome.counterexample()).isNull();
            assertThat(outcome.states()).as("states").isGreaterThan(100);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBucketThatBecomesMovedBeforeItIsCopiedIsFound(boolean overNetwork) {
        assertThat(explore(overNetwork, table -> new BucketMover(table) {
            @Override
            boolean copy(Batch batch, int owner, long next, long hash, boolean living) {
                return true;
            }

            @Override
            boolean replaces(long earlier, boolean living) {
                return false;
            }
        }, PUT, REMOVE).counterexample()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBucketThatBecomesMovedWhateverWasCopiedIsFound(boolean overNetwork) {
        assertThat(explore(overNetwork, table -> new BucketMover(table) {
            @Override
            boolean seal(int owner, long offset, long copied) {
                table.endpoint.writeWord(owner, offset, Bucket.MOVED);
                return true;
            }

            @Override
            int seal(Batch batch, int owner, long offset, long copied) {
                return SealMistakes.whateverWasCopied(batch, owner, offset, Bucket.MOVED);
            }
        }, PUT, REMOVE).counterexample()).isNotNull();
    }
}
