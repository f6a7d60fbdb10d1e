package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.heap.HeapUsage;
import io.atoll.heap.MutatedFabric;
import io.atoll.map.EagerBlocks.EagerRuns;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what one process does with a block while another is in the middle of something, or has died there. */
class BlockRunsTest {

    private static final int PIECES = 4;
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
        return participant(simulation.fabric(rank));
    }

    private static Participant participant(Fabric fabric) {
        return Participants.amongTheLiving(fabric);
    }

    private static EpochManager epochs(Participant self) {
        EpochManager epochs = GrowingWorld.epochs(self, LongBucket.SIZE);
        epochs.prepare();
        return epochs;
    }

    /**
     * The process has read the block's word, stands still, and comes back when all of that belongs to another block.
     */
    @Test
    void whoComesLateToRetireABlockLeavesAloneWhatIsThereByThen() {
        var runs = new BlockRuns(maker, LongBucket.SIZE);
        long block = runs.reservePieces(OWNER, 2 * EagerBlocks.BUCKETS, 2).block();
        runs.commit(OWNER, block);
        long word = owner.readWord(OWNER, Block.offset(block));
        // Whatever is there by then may write this word: no run begins there.
        owner.writeWord(OWNER, Block.offset(block), word + Long.BYTES);
        runs.retire(OWNER, block, CURRENT, 1);
        owner.writeWord(OWNER, Block.offset(block), word);
        owner.writeWord(OWNER, CURRENT, Block.NONE);
        assertThat(helper.heap().freeRetired(OWNER, () -> 3).freed()).isZero();
    }

    /**
     * As long as the head is reserved, the block's word is no other block's. So it tells that the block's pieces are
     * not in use.
     */
    @Test
    void aBlockThatIsGivenBackHasItsHeadAsLongAsAnyPiece() {
        for (int exchanges = 0; exchanges <= PIECES; exchanges++) {
            int[] left = {Integer.MAX_VALUE};
            Participant dying = participant(new MutatedFabric(simulation.fabric(MAKER)) {
                @Override
                public long compareAndExchange(int rank, long offset, long expected, long value) {
                    if (isLastStepOfFree(expected, value)
                            && left[0]-- == 0) {
                        left[0] = 0;
                        throw new RankUnreachableException("it has died", "compareAndExchange", rank, offset);
                    }
                    return super.compareAndExchange(rank, offset, expected, value);
                }
            });
            var runs = new BlockRuns(dying, LongBucket.SIZE);
            BlockRuns.Reserved reserved = runs.reservePieces(OWNER, PIECES * EagerBlocks.BUCKETS, PIECES);
            left[0] = exchanges;
            runs.free(OWNER, reserved);
            assertThat(helper.heap().usage(OWNER).pendingRuns()).isEqualTo(PIECES + 1 - exchanges);
            helper.heap().commit(OWNER, BlockHead.of(reserved.block()));
            helper.heap().free(OWNER, BlockHead.of(reserved.block()));
            helper.heap().reclaimPending(OWNER, MAKER, 1);
        }
    }

    private long previous(long current) {
        return owner.readWord(OWNER, BlockHead.of(current) + BlockHead.PREVIOUS);
    }

    /**
     * The maker's death is found out after the block that makes this one known has been freed. By then no process can
     * tell any more that this one is known.
     */
    @Test
    void aBlockStaysThatItsMakerHasNotCommittedWhenTheOneBeforeIsFreed() {
        EpochManager makers = epochs(maker);
        var makersTable = new LongTable("map", maker, new EagerBlocks(maker, makers, GrowingWorld.headers(),
                LongBucket.SIZE, new EagerRuns(maker, LongBucket.SIZE) {
                    @Override
                    void commit(int owner, long block) {
                        // The maker stands still before it commits.
                    }
                }), null);
        long[] keys = LongStream.range(0, 1_000).filter(key -> makersTable.ownerOf(key) == OWNER).limit(4).toArray();
        for (int number = 0; number < 3; number++) {
            makersTable.insert(keys[number], 0);
        }
        long first = owner.readWord(OWNER, CURRENT);
        assertThat(owner.readWord(OWNER, BlockHead.of(first) + BlockHead.NEXT)).as("another block")
                .isNotEqualTo(Block.NONE);
        LongTable table = new LongTable("map", helper,
                GrowingWorld.blocks(helper, epochs(helper), LongBucket.SIZE), null);
        // This finds that there is another block.
        table.insert(keys[3], 0);
        for (int change = 0; isBeingReplaced(first) && change < MOST_CHANGES; change++) {
            table.increment(keys[0], 1);
        }
        assertThat(isBeingReplaced(first)).isFalse();
        HeapUsage usage = helper.heap().usage(OWNER);
        assertThat(usage.pendingRuns()).isZero();
    }

    /** What becomes of a block's exchange whose answer is missing, and of the block. */
    private enum Doubt {
        HAS_NOT_ARRIVED, HAS_ARRIVED, OTHERS_HAVE_REPLACED_THE_BLOCK
    }

    /** The block's maker lives on, so no other process takes back what it has announced. */
    @ParameterizedTest
    @EnumSource(Doubt.class)
    void aBlockWhoseExchangeIsInDoubtIsUsedOrGivenBack(Doubt doubt) {
        boolean[] isAway = new boolean[1];
        Participant cut = participant(new MutatedFabric(simulation.fabric(MAKER)) {
            @Override
            public long compareAndExchange(int rank, long offset, long expected, long value) {
                boolean isPublication = rank == OWNER && offset == CURRENT && expected == Block.NONE
                        && value != Block.NONE;
                if (!isAway[0] && !(isPublication && doubt == Doubt.HAS_NOT_ARRIVED)) {
                    long witness = super.compareAndExchange(rank, offset, expected, value);
                    if (!isPublication) {
                        return witness;
                    }
                }
                isAway[0] = true;
                throw new RankUnreachableException("the connection breaks", "compareAndExchange", rank, offset);
            }
        });
        var makersTable = new LongTable("map", cut,
                GrowingWorld.blocks(cut, epochs(cut), LongBucket.SIZE), null);
        long[] keys = LongStream.range(0, 1_000).filter(key -> makersTable.ownerOf(key) == OWNER).limit(20).toArray();
        assertThatThrownBy(() -> makersTable.insert(keys[0], 0)).isInstanceOf(RankUnreachableException.class);
        assertThat(cut.reservations().inDoubt()).isOne();
        EpochManager epochs = epochs(helper);
        if (doubt == Doubt.OTHERS_HAVE_REPLACED_THE_BLOCK) {
            LongTable table = new LongTable("map", helper, GrowingWorld.blocks(helper, epochs, LongBucket.SIZE), null);
            long first = owner.readWord(OWNER, CURRENT);
            for (int key = 0; isBeingReplaced(first); key++) {
                table.insert(keys[key], 0);
                table.increment(keys[key], 1);
            }
        }
        isAway[0] = false;
        cut.reservations().retry(OWNER);
        assertThat(cut.reservations().inDoubt()).isZero();
        epochs.clear();
        HeapUsage usage = helper.heap().usage(OWNER);
        assertThat(usage.pendingRuns()).isZero();
        int known = BlockFigures.read(owner, OWNER, GrowingWorld.headers()[OWNER])
                .map(figures -> figures.runs().size())
                .orElse(0);
        assertThat(usage.ownedRuns()).isEqualTo(known);
        assertThat(known > 0).isEqualTo(doubt != Doubt.HAS_NOT_ARRIVED);
    }

    /** The operation needs the other block only. So its caller is not told that this one is given back later. */
    @Test
    void anOperationSucceedsThoughABlockThatCameTooLateCannotBeGivenBackYet() {
        LongTable others = new LongTable("map", helper,
                GrowingWorld.blocks(helper, epochs(helper), LongBucket.SIZE), null);
        long[] keys = LongStream.range(0, 1_000).filter(key -> others.ownerOf(key) == OWNER).limit(2).toArray();
        boolean[] isLate = new boolean[1];
        Participant late = participant(new MutatedFabric(simulation.fabric(MAKER)) {
            @Override
            public long compareAndExchange(int rank, long offset, long expected, long value) {
                if (offset == CURRENT && expected == Block.NONE && value != Block.NONE) {
                    others.insert(keys[0], 0);
                    isLate[0] = true;
                }
                return super.compareAndExchange(rank, offset, expected, value);
            }

            @Override
            public void flush(int rank) {
                if (isLate[0]) {
                    throw new RankUnreachableException("writes of another thread are lost", "flush", rank, 0);
                }
                super.flush(rank);
            }
        });
        LongTable table = new LongTable("map", late,
                GrowingWorld.blocks(late, epochs(late), LongBucket.SIZE), null);
        assertThat(table.insert(keys[1], 1)).isTrue();
        assertThat(isLate[0]).isTrue();
        assertThat(late.reservations().inDoubt()).isOne();
        assertThat(helper.heap().usage(OWNER).pendingRuns()).isOne();
        isLate[0] = false;
        late.reservations().retryAll();
        assertThat(late.reservations().inDoubt()).isZero();
        assertThat(helper.heap().usage(OWNER).pendingRuns()).isZero();
    }

    private boolean isBeingReplaced(long first) {
        long current = owner.readWord(OWNER, CURRENT);
        return current == first || previous(current) != Block.NONE;
    }
}
