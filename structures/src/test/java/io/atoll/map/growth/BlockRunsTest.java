package io.atoll.map.growth;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.heap.HeapUsage;
import io.atoll.map.GrowingWorld;
import io.atoll.map.MapWorld;
import io.atoll.map.block.Block;
import io.atoll.map.block.BlockHead;
import io.atoll.map.growth.EagerBlocks.EagerRuns;
import io.atoll.map.longs.LongBucket;
import io.atoll.map.longs.LongTable;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What one process does with a block while another is in the middle of something, or has died there. */
class BlockRunsTest {

    private static final int MAKER = 0;
    private static final int HELPER = 1;
    private static final int OWNER = 2;
    private static final int MOST_CHANGES = 256;
    private static final long CURRENT = GrowingWorld.headers()[OWNER] + BlockHead.CURRENT;

    private final Simulation simulation = new Simulation(1,
            GrowingWorld.options(SimOptions.EVERY_FABRIC.getFirst()).unmapped());
    private final Participant maker = participant(MAKER);
    private final Participant helper = participant(HELPER);
    private final Endpoint owner = simulation.endpoint(OWNER);

    private Participant participant(int rank) {
        return new Participant(simulation.endpoint(rank), 1, (_, _, _) -> false, Duration.ofSeconds(1),
                () -> new int[MapWorld.RANKS]);
    }

    private static EpochManager epochs(Participant self) {
        EpochManager epochs = GrowingWorld.epochs(self, LongBucket.SIZE);
        epochs.prepare();
        return epochs;
    }

    /** It has read the block's word, stood still, and comes back when all of that is another's. */
    @Test
    void whoComesLateToRetireABlockLeavesAloneWhatIsThereByThen() {
        var runs = new BlockRuns(maker.heap(), maker.endpoint(), LongBucket.SIZE);
        long block = runs.reservePieces(OWNER, 2 * EagerBlocks.BUCKETS, 2);
        runs.commit(OWNER, block);
        long word = owner.readWord(OWNER, Block.offset(block));
        // As whatever is there by then may write it: no run begins there.
        owner.writeWord(OWNER, Block.offset(block), word + Long.BYTES);
        runs.retire(OWNER, block, CURRENT, 1);
        owner.writeWord(OWNER, Block.offset(block), word);
        owner.writeWord(OWNER, CURRENT, Block.NONE);
        assertThat(helper.heap().freeRetired(OWNER, () -> 3).freed()).isZero();
    }

    private long previous(long current) {
        return owner.readWord(OWNER, BlockHead.of(current) + BlockHead.PREVIOUS);
    }

    /** Its death is found out after the block that makes it known has been freed: then nobody can tell any more. */
    @Test
    void aBlockStaysThatItsMakerHasNotCommittedWhenTheOneBeforeIsFreed() {
        EpochManager makers = epochs(maker);
        var makersTable = new LongTable("map", maker, new EagerBlocks(maker, makers, GrowingWorld.headers(),
                LongBucket.SIZE, new EagerRuns(maker, LongBucket.SIZE) {
                    @Override
                    void commit(int owner, long block) {
                        // It stands still before.
                    }
                }));
        long[] keys = LongStream.range(0, 1_000).filter(key -> makersTable.ownerOf(key) == OWNER).limit(4).toArray();
        for (int number = 0; number < 3; number++) {
            makersTable.insert(keys[number], 0);
        }
        long first = owner.readWord(OWNER, CURRENT);
        assertThat(owner.readWord(OWNER, BlockHead.of(first) + BlockHead.NEXT)).as("another block")
                .isNotEqualTo(Block.NONE);
        LongTable table = new LongTable("map", helper,
                GrowingWorld.blocks(helper, epochs(helper), LongBucket.SIZE));
        // Finds that there is another block.
        table.insert(keys[3], 0);
        for (int change = 0; isBeingReplaced(first) && change < MOST_CHANGES; change++) {
            table.increment(keys[0], 1);
        }
        assertThat(isBeingReplaced(first)).isFalse();
        HeapUsage usage = helper.heap().usage(OWNER);
        assertThat(usage.pendingRuns()).isZero();
    }

    private boolean isBeingReplaced(long first) {
        long current = owner.readWord(OWNER, CURRENT);
        return current == first || previous(current) != Block.NONE;
    }
}
