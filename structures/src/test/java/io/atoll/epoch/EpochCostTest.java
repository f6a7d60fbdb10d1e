package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.CostPage;
import io.atoll.CostPage.RoundTrips;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.Journal.Entry;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Counts the costs that the Javadoc promises, at a rank that is not the home of the epoch. */
class EpochCostTest {

    private static final int RANKS = 3;
    private static final int TOKENS = 8;
    private static final long SEGMENT_BYTES = 192 << 10;

    private static final long BLOCK = SEGMENT_BYTES - (16 << 10);

    /** Rank 1 of three. */
    private static final class Listening {

        final RecordingFabric fabric;
        final Participant self;
        final EpochManager epochs;

        Listening(Guarantees guarantees) {
            var simulation = new Simulation(1,
                    SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES).guarantees(guarantees));
            fabric = new RecordingFabric(simulation.fabric(1));
            self = Participants.of(fabric, simulation::isFenced);
            long[] blocks = new long[RANKS];
            Arrays.fill(blocks, BLOCK);
            EpochSettings settings = EpochSettings.DEFAULT.tokens(TOKENS);
            epochs = new EpochManager(() -> self, settings, any -> new RankEpochs(self, blocks, settings));
        }
    }

    private final Listening listening = new Listening(SimOptions.SHARED_MEMORY);
    private final RecordingFabric fabric = listening.fabric;
    private final EpochManager epochs = listening.epochs;

    private static String costs(Journal journal) {
        return "R".repeat(journal.reads()) + "A".repeat(journal.atomics()) + "W".repeat(journal.writes()) + " in "
                + journal.roundTrips() + " at " + journal.ranks();
    }

    @Test
    void pinningAndUnpinningCostNoVerbOnAnyFabric() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            var there = new Listening(guarantees);
            Token token = there.epochs.register();
            assertThat(there.fabric.record(() -> {
                token.pin();
                token.pin();
                token.unpin();
                token.unpin();
            })).hasToString("no verb");
        }
    }

    @Test
    void retiringCostsAReadForEachBag() {
        Token token = epochs.register();
        GlobalPointer[] objects = new GlobalPointer[Bag.CAPACITY];
        Arrays.setAll(objects, number -> listening.self.heap().allocatePointer(2, 64));
        token.pin();
        assertThat(costs(fabric.record(() -> {
            for (GlobalPointer object : objects) {
                token.retire(object);
            }
        }))).isEqualTo("R in 1 at [0]");
    }

    /** Returns the round trips of a token that has retired before, for a pin and as many objects as fill a bag. */
    private static String roundTrips(Guarantees guarantees) {
        var there = new Listening(guarantees);
        Token token = there.epochs.register();
        GlobalPointer[] objects = new GlobalPointer[2 * Bag.CAPACITY];
        Arrays.setAll(objects, _ -> there.self.heap().allocatePointer(2, 64));
        Journal pinning = there.fabric.record(token::pin);
        Arrays.stream(objects).limit(Bag.CAPACITY).forEach(token::retire);
        Journal retiring = there.fabric
                .record(() -> Arrays.stream(objects).skip(Bag.CAPACITY).forEach(token::retire));
        return pinning.roundTrips() + " / " + retiring.roundTrips();
    }

    /** By TCP the own memory is the CPU's, as it is in shared memory. A card that is not coherent writes to the bag. */
    @Test
    void theRoundTripsAreThoseOfThePage() throws IOException {
        assertThat(CostPage.read()).containsEntry("epochs: pin, unpin / retire of 60 objects",
                new RoundTrips(roundTrips(SimOptions.SHARED_MEMORY), roundTrips(SimOptions.NETWORK_CARD)));
    }

    @Test
    void reclaimingReadsTheEpochElectsScansInOneRoundTripAndWritesTheCaches() {
        epochs.tryReclaim();
        // The epoch; the election; the tokens of the others; the new epoch; their caches; the resignation.
        assertThat(costs(fabric.record(epochs::tryReclaim))).isEqualTo("RRRAAAWW in 5 at [0, 2]");
    }

    @Test
    void whoLosesTheElectionReturnsAtOnce() {
        epochs.register();
        fabric.compareAndExchange(0, BLOCK + EpochBlock.ADVANCER, 0, 1 << 16);
        assertThat(costs(fabric.record(epochs::tryReclaim))).isEqualTo("RA in 2 at [0]");
    }

    /** Returns the costs of two allocations: the first one fills the slab cache. */
    private String costsOfAllocating(int target) {
        return costs(fabric.record(() -> listening.self.heap().allocate(target, 64))) + ", "
                + costs(fabric.record(() -> listening.self.heap().allocate(target, 64)));
    }

    @Test
    void anAllocationThatFindsRoomAsksNobody() {
        String before = costsOfAllocating(0);
        epochs.tryReclaim();
        assertThat(costsOfAllocating(2)).isEqualTo(before.replace("[0]", "[2]"));
    }

    @Test
    void aTickLooksForRequestsWithoutAVerb() {
        epochs.tryReclaim();
        assertThat(fabric.record(listening.self::tick)).hasToString("no verb");
    }

    @Test
    void aSnapshotIsAReadOfEachOtherRankAndOneOfTheEpoch() {
        epochs.tryReclaim();
        assertThat(costs(fabric.record(epochs::snapshot))).isEqualTo("RRR in 3 at [0, 2]");
    }

    @Test
    void aSnapshotReadsNothingThatIsForRanksWhichTheWorldDoesNotHave() {
        epochs.tryReclaim();
        long block = EpochBlock.bytes(TOKENS, RANKS);
        assertThat(fabric.record(epochs::snapshot).entries()).extracting(Entry::bytes)
                .containsExactly(Layouts.WORD, block, block);
    }
}
