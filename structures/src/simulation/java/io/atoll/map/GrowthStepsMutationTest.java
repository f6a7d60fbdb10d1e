package io.atoll.map;

import io.atoll.Patch;
import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.world.Participant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A growing map takes its steps in this order for a reason. If one is left out, or comes too late, the seeds of the
 * simulations find that. The steps of {@link GrowingBlocks} come first. Then follow those of {@link Migration}, of what
 * moves buckets, and of what searches. {@link LongGrowthMutationTest} and {@link MapGrowthMutationTest} have mistakes
 * that are objects in another's place.
 */
@Tag("simulation")
class GrowthStepsMutationTest {

    private static final int SEEDS = 4_000;

    /** What ranks do while a mistake is built in. */
    private enum Program implements Runnable {

        LONGS(longs(LongGrowthSimulationTest.pausing(SimOptions.SHARED_MEMORY))),

        LONGS_OVER_TCP(longs(LongGrowthSimulationTest.pausing(SimOptions.TCP))),

        LONGS_THAT_DIE(longs(LongGrowthSimulationTest.dying(SimOptions.SHARED_MEMORY))),

        LONGS_THAT_DIE_OVER_TCP(longs(LongGrowthSimulationTest.dying(SimOptions.TCP))),

        /** Each operation tries to free something. */
        LONGS_THAT_RECLAIM_AND_DIE(reclaiming(LongGrowthSimulationTest.dying(SimOptions.SHARED_MEMORY))),

        /** The keys are in each other's way. */
        CROWDED_LONGS_OVER_TCP(MapWorld.trial(LongGrowthSimulationTest.pausing(SimOptions.TCP),
                LongGrowthSimulationTest.KINDS, GrowingWorld.CROWDED_KEYS, GrowingWorld.OPERATIONS, rank -> {
                    Participant self = MapWorld.participant(rank);
                    return open(self, GrowingWorld.crowdedBlocks(self, GrowingWorld.epochs(self, LongBucket.SIZE),
                            LongBucket.SIZE));
                })),

        OBJECTS(objects(SimOptions.SHARED_MEMORY)),

        OBJECTS_OVER_TCP(objects(SimOptions.TCP));

        private final Seeds.Trial trial;

        Program(Seeds.Trial trial) {
            this.trial = trial;
        }

        private static Seeds.Trial longs(SimOptions options) {
            return MapWorld.trial(options, LongGrowthSimulationTest.KINDS, GrowingWorld.KEYS, GrowingWorld.OPERATIONS,
                    rank -> {
                        Participant self = MapWorld.participant(rank);
                        return open(self, GrowingWorld.blocks(self, LongBucket.SIZE));
                    });
        }

        private static Seeds.Trial reclaiming(SimOptions options) {
            SharedEpochs shared = GrowingWorld.sharedEpochs();
            return MapWorld.trial(options, LongGrowthSimulationTest.KINDS, GrowingWorld.KEYS, GrowingWorld.OPERATIONS,
                    rank -> {
                        Participant self = MapWorld.participant(rank);
                        EpochManager epochs = shared.of(self);
                        return PayloadWorld.reclaiming(self, epochs,
                                open(self, GrowingWorld.blocks(self, epochs, LongBucket.SIZE)));
                    });
        }

        private static MapClient open(Participant self, Blocks blocks) {
            return MapClient.of(new LongTable("map", self, blocks, null));
        }

        private static Seeds.Trial objects(Guarantees guarantees) {
            SharedEpochs epochs = GrowingWorld.sharedEpochs();
            return MapWorld.trial(MapGrowthSimulationTest.pausing(guarantees), MapGrowthSimulationTest.KINDS,
                    GrowingWorld.KEYS, GrowingWorld.OPERATIONS, rank -> {
                        Participant self = MapWorld.participant(rank);
                        return GrowingMap.NARROW.open(self, epochs.of(self));
                    });
        }

        @Override
        public void run() {
            Mutation.assertIsFound(SEEDS, trial);
        }
    }

    /** A rank dies while it makes blocks, or retires them, at a step that the seed says. */
    private static final class DeathOfTheMaker implements Runnable {

        @Override
        public void run() {
            GrowthDeathTest.assertIsFoundByADeath();
        }
    }

    /** A rank dies when it is about to commit a block that others know. */
    private static final class DeathBeforeACommit implements Runnable {

        @Override
        public void run() {
            GrowthDeathTest.assertIsFoundByADeathBeforeACommit();
        }
    }

    /** An error strikes an access of the rank that makes blocks. */
    private static final class ErrorInTheMaker implements Runnable {

        @Override
        public void run() {
            GrowthDeathTest.assertIsFoundByAnError();
        }
    }

    private static Patch blocks(String text, String instead) {
        return new Patch(GrowingBlocks.class).replace(text, instead);
    }

    private static Patch migration(String text, String instead) {
        return new Patch(Migration.class).replace(text, instead);
    }

    private static Patch runs(String text, String instead) {
        return new Patch(BlockRuns.class).replace(text, instead);
    }

    private static Patch rounds(String text, String instead) {
        return new Patch(MoveRounds.class).replace(text, instead);
    }

    // --- an operation, and the process that replaces a block: (1) to (6) ---

    @Test
    void aBlockThatIsUsedThoughItsVersionIsOverIsFound() {
        Patch mistake = blocks("known.version == version() ? known", "known.version >= 0 ? known");
        for (Program program : List.of(Program.LONGS, Program.LONGS_OVER_TCP)) {
            mistake.run(program);
        }
    }

    @Test
    void aVersionThatIsLoadedBeforeThePinIsFound() {
        String pins = "            return epochs.pinWithRoom();";
        blocks(pins, "early = version();\n" + pins)
                .replace("known.version == version() ? known", "known.version == early ? known")
                .replace("    long version() {", "    private volatile long early;\n    long version() {")
                .run(Program.LONGS);
    }

    @Test
    void anOperationThatIsNotPinnedWhileItUsesABlockIsFound() {
        blocks("            return epochs.pinWithRoom();",
                "            Token token = epochs.pinWithRoom();\n token.unpin();\n return token;")
                .replace("            token.unpin();\n            if (attempts", "            if (attempts")
                .run(Program.LONGS_OVER_TCP);
    }

    @Test
    void aRankThatIsNotToldBeforeTheBlockIsRetiredIsFound() {
        String tells = "                tell(rank);";
        blocks(tells, "if (rank == self.rank())\n" + tells).run(Program.LONGS);
    }

    @Test
    void aBlockThatIsRetiredBeforeAnyRankIsToldIsFound() {
        blocks("        if (isMissing(owner) || !tellAll(owner)) {\n            return;\n        }\n", "")
                .replace("        retire(owner, previous, place);", "retire(owner, previous, place);\n tellAll(owner);")
                .run(Program.LONGS_THAT_RECLAIM_AND_DIE);
    }

    @Test
    void aFirstBlockThatIsNotKeptBeforeItIsReplacedIsFound() {
        blocks("            keep(owner, view.current);\n", "").run(DeathBeforeACommit.class);
    }

    @Test
    void aPreviousBlockThatIsForgottenBeforeItIsRetiredIsFound() {
        blocks("            // (2) after the version was raised at all ranks.\n",
                "            takeAway(owner, previous, place);\n").run(DeathOfTheMaker.class);
    }

    @Test
    void aBlockThatIsReplacedBeforeThePreviousOneIsRetiredIsFound() {
        blocks("        if (view.previous != Block.NONE) {\n            if (!missing",
                "        if (view.previous == -1) {\n            if (!missing").run(Program.LONGS);
    }

    @Test
    void aBlockThatIsReplacedBeforeAllOfItIsMovedIsFound() {
        for (Program program : List.of(Program.LONGS, Program.LONGS_OVER_TCP)) {
            migration("boolean moved = true;", "boolean moved = false;")
                    .replace("moved &= stripes[at] >= length;", "moved |= stripes[at] >= length;")
                    .run(program);
            migration("return done == BlockHead.STRIPES;", "return done >= BlockHead.STRIPES - 1;").run(program);
        }
    }

    // --- the process that makes a block ---

    @Test
    void aBlockThatSaysTooLateWhichOneItReplacesIsFound() {
        String writes = "            endpoint.writeWord(owner, BlockHead.of(reserved.block()) + BlockHead.PREVIOUS, "
                + "previous);\n";
        blocks(writes, "").replace("        return makeKnown(owner, reserved, place);",
                "long known = makeKnown(owner, reserved, place);\n if (known == reserved.block()) {\n" + writes
                        + "}\n return known;")
                .run(DeathOfTheMaker.class);
    }

    @Test
    void twoBlocksThatTakeOnePlaceAreFound() {
        Patch mistake = blocks("            witness = endpoint.compareAndExchange(owner, place, Block.NONE, block);",
                "witness = endpoint.readWord(owner, place);\n if (witness == Block.NONE) {\n"
                        + "endpoint.writeWord(owner, place, block);\n }");
        for (Program program : List.of(Program.LONGS, Program.LONGS_OVER_TCP)) {
            mistake.run(program);
        }
    }

    @Test
    void aBlockThatCameTooLateAndIsNotFreedIsFound() {
        blocks("        runs.free(owner, reserved);\n        return witness;", "        return witness;")
                .run(DeathOfTheMaker.class);
    }

    @Test
    void aBlockThatIsCommittedBeforeItIsKnownIsFound() {
        String exchanges = "            witness = endpoint.compareAndExchange(owner, place, Block.NONE, block);";
        blocks(exchanges, "runs.commit(owner, block);\n" + exchanges).run(DeathOfTheMaker.class);
    }

    @Test
    void aBlockThatIsNotWithdrawnAfterAnErrorIsFound() {
        blocks("            runs.withdraw(owner, reserved, place);\n", "").run(ErrorInTheMaker.class);
    }

    @Test
    void runsThatAreNotAnnouncedOrWithAnotherValueAreFound() {
        String announces = "heap.announce(owner, run, new GlobalPointer(owner, place), block);";
        runs(announces, "").run(DeathOfTheMaker.class);
        runs(announces, announces.replace("block)", "block + 1)")).run(DeathOfTheMaker.class);
    }

    // --- leases and frontiers ---

    @Test
    void aLeaseThatIsTakenThoughAnotherThreadHasItIsFound() {
        String succeeded = "batch.succeeded(taking)";
        for (Program program : List.of(Program.LONGS, Program.LONGS_OVER_TCP)) {
            migration("        if (!isFree(holder, owner)) {", "        if (false) {").run(program);
            migration(succeeded, "batch.answered(taking)").run(program);
        }
    }

    @Test
    void aLeaseThatIsTakenOverBeforeItsHolderIsFencedIsFound() {
        Patch mistake = migration("return Lease.isFree(lease, owner, self.liveness());",
                "return lease == Lease.NOBODY || (int) (lease >>> 32 & 0xFFFF) != self.rank();");
        for (Program program : List.of(Program.LONGS_THAT_DIE, Program.LONGS_THAT_DIE_OVER_TCP)) {
            mistake.run(program);
        }
    }

    @Test
    void aLeaseThatIsGivenBackBeforeTheBucketsAreMovedIsFound() {
        String moves = "        int moved = move(owner";
        Patch mistake = migration(moves, "endpoint.writeWord(owner, BlockHead.of(block) + BlockHead.stripe(stripe) "
                + "+ BlockHead.LEASE, Lease.NOBODY);\n" + moves);
        for (Program program : List.of(Program.LONGS, Program.LONGS_OVER_TCP)) {
            mistake.run(program);
        }
    }

    @Test
    void aLeaseThatIsKeptAfterAnErrorIsFound() {
        migration("            if (!done) {", "            if (done && holder == -1) {").run(ErrorInTheMaker.class);
    }

    @Test
    void aFrontierThatIsOneBucketTooFarIsFound() {
        Patch mistake = migration("BlockHead.FRONTIER, begin + moved)",
                "BlockHead.FRONTIER, Math.min(length, begin + moved + 1))");
        for (Program program : List.of(Program.LONGS, Program.LONGS_OVER_TCP)) {
            mistake.run(program);
        }
    }

    // --- buckets, one by one ---

    @Test
    void aBucketThatIsSealedWithAnotherWordThanWasCopiedIsFound() {
        new Patch(LongMover.class).replace("if (seal(owner, bucket, word)) {",
                "if (seal(owner, bucket, table.endpoint.readWord(owner, bucket))) {").run(Program.LONGS);
        new Patch(BucketMover.class).replace("if (seal(owner, offset, state)) {",
                "if (seal(owner, offset, table.endpoint.readWord(owner, offset))) {").run(Program.OBJECTS);
    }

    @Test
    void aFinalBucketThatIsCopiedAgainIsFound() {
        new Patch(LongMover.class).replace("if (LongBucket.isFinal(word)) {", "if (word == LongBucket.CLOSED) {")
                .run(Program.LONGS_THAT_DIE);
    }

    @Test
    void aReservedBucketThatIsTakenForFinalIsFound() {
        new Patch(LongMover.class)
                .replace("if (!table.writer.isSettled(owner, bucket, word)) {\n                    return false;",
                        "if (!table.writer.isSettled(owner, bucket, word)) {\n                    return true;")
                .run(Program.LONGS);
        new Patch(BucketMover.class)
                .replace("if (!table.writer.isSettled(owner, offset, state)) {\n                    return false;",
                        "if (!table.writer.isSettled(owner, offset, state)) {\n                    return true;")
                .run(Program.OBJECTS);
    }

    @Test
    void aRemovalThatIsNotCopiedIsFound() {
        new Patch(LongMover.class).replace("            if (bucket >= 0) {\n                if (replace",
                "            if (bucket >= 0 && LongBucket.isPresent(word)) {\n                if (replace")
                .run(Program.LONGS);
        new Patch(BucketMover.class).replace("return living || Bucket.isLiving(earlier);", "return living;")
                .run(Program.OBJECTS);
    }

    // --- buckets, in rounds ---

    @Test
    void aSealThatItsCopyDoesNotGuardIsFound() {
        Patch mistake = rounds("            batch.guard(exchanges[place]);\n", "");
        for (Program program : List.of(Program.LONGS_OVER_TCP, Program.OBJECTS_OVER_TCP)) {
            mistake.run(program);
        }
    }

    @Test
    void aBucketThatIsSealedWithAnotherWordThanWasReadIsFound() {
        Patch mistake = rounds(": seal(batch, bucket(place), states[place]);",
                ": seal(batch, bucket(place), endpoint.readWord(owner, bucket(place)));");
        for (Program program : List.of(Program.LONGS_OVER_TCP, Program.OBJECTS_OVER_TCP)) {
            mistake.run(program);
        }
    }

    @Test
    void aBucketThatIsNotSealedAndTakenForFinalIsFound() {
        rounds("isFinal[place] = sealed[place];", "isFinal[place] = true;").run(Program.LONGS_OVER_TCP);
    }

    @Test
    void aReservedBucketThatIsTakenForFinalInARoundIsFound() {
        rounds("                if (!isSettled(bucket(place), state)) {\n                    return;",
                "                if (!isSettled(bucket(place), state)) {\n                    isFinal[place] = true;")
                .run(Program.CROWDED_LONGS_OVER_TCP);
    }

    @Test
    void aFinalBucketThatIsCopiedAgainInARoundIsFound() {
        rounds("if (isFinal(state)) {", "if (isFree(state) && isFinal(state)) {").run(Program.LONGS_OVER_TCP);
    }

    @Test
    void aCopyOverABucketThatIsReservedIsFound() {
        rounds("} else if (!isReserved(before)) {", "} else if (true) {").run(Program.LONGS_OVER_TCP);
    }

    // --- searches ---

    @Test
    void aSearchThatEndsAtAMovedBucketOfAnotherKeyIsFound() {
        Patch mistake = new Patch(LongReader.class).replace("        return word == LongBucket.CLOSED;",
                "        return word == LongBucket.CLOSED || LongBucket.isMoved(word);");
        for (Program program : List.of(Program.LONGS, Program.LONGS_OVER_TCP)) {
            mistake.run(program);
        }
    }

    @Test
    void aSearchThatBelievesACopyBeforeItsBucketIsSealedIsFound() {
        Patch mistake = new Patch(LongReader.class).replace(
                "            long bucket = locateIn(mapped, owner, block, hash, key, isRead && block == first);",
                "long copies = blocks.next(owner, block);\n"
                        + "if (block == first && copies != Block.NONE) {\n"
                        + "long copy = locateIn(mapped, owner, copies, hash, key, false);\n"
                        + "if (copy >= 0) {\n return copy;\n }\n }\n"
                        + "long bucket = locateIn(mapped, owner, block, hash, key, false);");
        for (Program program : List.of(Program.LONGS, Program.LONGS_OVER_TCP)) {
            mistake.run(program);
        }
    }
}
