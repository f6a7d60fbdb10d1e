package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Wrapper;
import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Some rank is not there, so a previous block cannot be retired. That costs the changes of the map next to nothing. */
class MissingRankTest {

    /**
     * @param isEnded true if the rank has certainly ended. Then it need not be told; only the epochs need it, whose
     * home it is
     */
    record Outage(int self, int away, boolean isEnded) {}

    static final List<Outage> OUTAGES = List.of(new Outage(0, 1, false), new Outage(1, 0, false),
            new Outage(1, 0, true));

    private static final int OWNER = 2;
    private static final int CHANGES = 256;
    private static final int MOST_ATTEMPTS = 10;
    private static final SimOptions OPTIONS = GrowingWorld.options(SimOptions.EVERY_FABRIC.getFirst()).unmapped();

    private final Simulation simulation = new Simulation(1, OPTIONS);
    private final int[] verbs = new int[MapWorld.RANKS];
    private int away = MissingRank.NONE;

    private Fabric counted(Fabric fabric) {
        return Wrapper.around(fabric, Fabric.class, call -> {
            if (call.arguments().length > 1 && call.arguments()[0] instanceof Integer rank) {
                verbs[rank]++;
                if (rank == away) {
                    throw new RankUnreachableException("it is away", call.name(), rank, 0);
                }
            }
            return call.proceed();
        });
    }

    private long version(int rank) {
        return simulation.endpoint(rank).readWord(rank, GrowingWorld.headers()[rank] + BlockHead.VERSION);
    }

    private long previous() {
        Endpoint owner = simulation.endpoint(OWNER);
        long current = owner.readWord(OWNER, GrowingWorld.headers()[OWNER] + BlockHead.CURRENT);
        return owner.readWord(OWNER, BlockHead.of(current) + BlockHead.PREVIOUS);
    }

    @ParameterizedTest
    @FieldSource("OUTAGES")
    void changesSeldomTryToRetireWhatCannotBeRetiredAndTellNobodyMeanwhile(Outage outage) {
        Participant self = Participants.of(counted(simulation.fabric(outage.self)), (_, _, _) -> outage.isEnded);
        EpochManager epochs = GrowingWorld.epochs(self, LongBucket.SIZE);
        epochs.prepare();
        LongTable table = new LongTable("map", self, GrowingWorld.blocks(self, epochs, LongBucket.SIZE), null);
        long[] keys = LongStream.range(0, 1_000).filter(key -> table.ownerOf(key) == OWNER).limit(4).toArray();
        table.insert(keys[0], 0);
        away = outage.away;
        for (int number = 1; number < keys.length; number++) {
            table.insert(keys[number], 0);
        }
        for (int change = 0; previous() == Block.NONE && change < CHANGES; change++) {
            table.increment(keys[0], 1);
        }
        assertThat(previous()).as("a block that cannot be retired").isNotEqualTo(Block.NONE);
        long[] versions = LongStream.range(0, MapWorld.RANKS).map(rank -> version((int) rank)).toArray();
        int triedBefore = verbs[away];
        int costBefore = verbs[OWNER];
        for (int change = 0; change < CHANGES; change++) {
            table.increment(keys[0], 1);
        }
        assertThat(verbs[away] - triedBefore).as("attempts").isBetween(1, MOST_ATTEMPTS);
        assertThat(verbs[OWNER] - costBefore).as("verbs of the changes, and one for each attempt")
                .isLessThanOrEqualTo(2 * CHANGES + MOST_ATTEMPTS);
        for (int rank = 0; rank < MapWorld.RANKS; rank++) {
            assertThat(version(rank)).as("version of rank=%d", rank).isEqualTo(versions[rank]);
        }
        away = MissingRank.NONE;
        for (int change = 0; change < CHANGES; change++) {
            table.increment(keys[0], 1);
        }
        assertThat(previous()).as("after the rank has come back").isEqualTo(Block.NONE);
    }
}
