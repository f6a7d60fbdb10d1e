package io.atoll.map;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.failure.SegmentFullException;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A map of longs whose blocks are replaced while ranks use it. */
@Tag("simulation")
class LongGrowthSimulationTest {

    static final List<Guarantees> EVERY_FABRIC = MapSimulation.EVERY_FABRIC;
    static final List<Guarantees> REMOTE_FABRICS = MapSimulation.REMOTE_FABRICS;

    private static final int SEEDS = 200;

    static final List<Kind> KINDS = MapOperation.OF_LONG_MAPS;

    private final SharedEpochs epochs = GrowingWorld.sharedEpochs();

    private static MapClient open(SimRank rank) {
        return open(MapWorld.participant(rank));
    }

    private static MapClient open(Participant participant) {
        var table = new LongTable("map", participant, GrowingWorld.blocks(participant, LongBucket.SIZE), null);
        return MapClient.of(table);
    }

    static SimOptions pausing(Guarantees guarantees) {
        return GrowingWorld.options(guarantees).pauses(0.02);
    }

    static SimOptions dying(Guarantees guarantees) {
        return pausing(guarantees).longestPause(Duration.ofMillis(50)).kills(0.003, 0, 1, 2).zombies();
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void everyOperationTakesEffectAtOnce(Guarantees guarantees) {
        Seeds.each(SEEDS,
                MapWorld.trial(pausing(guarantees), KINDS, GrowingWorld.KEYS, GrowingWorld.OPERATIONS,
                        LongGrowthSimulationTest::open));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void deathsAtAnyStepLeaveNothingHalfDone(Guarantees guarantees) {
        Seeds.each(SEEDS, MapWorld.trial(dying(guarantees), KINDS, GrowingWorld.KEYS, GrowingWorld.OPERATIONS,
                LongGrowthSimulationTest::open));
    }

    private MapClient openForThreads(Participant self) {
        return MapClient.of(new LongTable("map", self,
                GrowingWorld.blocks(self, epochs.of(self), LongBucket.SIZE), null));
    }

    @ParameterizedTest
    @FieldSource("REMOTE_FABRICS")
    void aConnectionThatBreaksAtAnyStepLeavesNothingReserved(Guarantees guarantees) {
        Seeds.each(SEEDS, MapWorld.breakingTrialOfGrowth(pausing(guarantees).breaks(0.005, 8), 2, KINDS,
                GrowingWorld.KEYS, GrowingWorld.OPERATIONS, this::openForThreads));
    }

    /** Finds no room for a first block that is larger than this rank's. So each rank comes with another one. */
    private static final class LackingRuns extends BlockRuns {

        private final Participant self;

        LackingRuns(Participant self) {
            super(self, LongBucket.SIZE);
            this.self = self;
        }

        @Override
        Reserved reserve(int owner, long buckets) {
            long current = GrowingWorld.headers()[owner] + BlockHead.CURRENT;
            if (buckets > EagerBlocks.BUCKETS << self.rank()
                    && self.endpoint().readWord(owner, current) == Block.NONE) {
                throw new SegmentFullException(owner, bytes(buckets), bytes(buckets) - 1);
            }
            return super.reserve(owner, buckets);
        }
    }

    private static MapClient openWithoutRoom(SimRank rank) {
        Participant self = MapWorld.participant(rank);
        var blocks = new EagerBlocks(self, GrowingWorld.epochs(self, LongBucket.SIZE), GrowingWorld.headers(),
                LongBucket.SIZE, EagerBlocks.BUCKETS << MapWorld.RANKS, new LackingRuns(self));
        return MapClient.of(new LongTable("map", self, blocks, null));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void ranksThatFindDifferentRoomForTheFirstBlockUseOne(Guarantees guarantees) {
        SimOptions dying = pausing(guarantees).longestPause(Duration.ofMillis(50)).kills(0.003, 0, 1, 2).zombies();
        Seeds.each(SEEDS, MapWorld.trial(dying, KINDS, GrowingWorld.KEYS, GrowingWorld.OPERATIONS,
                LongGrowthSimulationTest::openWithoutRoom));
    }
}
