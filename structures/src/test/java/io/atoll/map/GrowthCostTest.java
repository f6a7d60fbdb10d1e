package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.CostPage;
import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Guarantees;
import io.atoll.failure.StructureName;
import io.atoll.map.Entries.Edit;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.io.IOException;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Round trips that an operation takes to move its share of a block that is being replaced. */
class GrowthCostTest {

    private static final int OWNER = 1;
    private static final long FIRST_BUCKETS = 8_192; // one key in 64 is counted
    private static final int STRETCHES = 64;
    private static final Codec<Long> LONGS = Codecs.forType(Long.class);

    /** Moves buckets when it is told to. */
    private static final class Halted extends Migration {

        private Runnable helps = () -> {};
        private boolean isGrowing;

        Halted(Participant self) {
            super(self);
        }

        @Override
        boolean help(int owner, long block, long next, Mover mover) {
            isGrowing = true;
            helps = () -> super.help(owner, block, next, mover);
            return false;
        }
    }

    private static GrowingBlocks blocks(CostWorld world, Migration migration, long bucketBytes) {
        Participant self = world.participant();
        long[] headers = self.directory().open("growing", "map", _ -> GrowingBlocks.HEADER_BYTES);
        return new GrowingBlocks(new StructureName("growing", "map"), self, world.epochs(), headers, FIRST_BUCKETS,
                bucketBytes, new BlockRuns(self, bucketBytes), migration, OnLoss.FAIL);
    }

    /** Inserts keys of the owner until the block is being replaced. Returns the median of what stretches take. */
    private static int moving(CostWorld world, Halted migration, LongConsumer insert) {
        LongStream.range(1, Long.MAX_VALUE)
                .filter(key -> KeyHash.rank(FixedHash.of(key), CostWorld.RANKS) == OWNER)
                .takeWhile(_ -> !migration.isGrowing)
                .forEach(insert);
        int[] roundTrips = IntStream.range(0, STRETCHES)
                .map(_ -> world.journalOf(migration.helps).roundTrips())
                .sorted()
                .toArray();
        return roundTrips[STRETCHES / 2];
    }

    private static int movingLongs(Guarantees guarantees) {
        var world = new CostWorld(guarantees);
        var migration = new Halted(world.participant());
        var table = new LongTable("growing", world.participant(), blocks(world, migration, LongBucket.SIZE), null);
        return moving(world, migration, key -> table.put(key, key));
    }

    private static int movingObjects(Guarantees guarantees) {
        var world = new CostWorld(guarantees);
        var migration = new Halted(world.participant());
        Bucket bucket = new Bucket(LONGS.bytes(), LONGS.bytes());
        var table = new BucketTable("growing", world.participant(), blocks(world, migration, bucket.size), bucket,
                InlineEntries.hashing(world.participant(), LONGS, null), null);
        var entries = new InlineEntries<>(table, LONGS, LONGS, null);
        return moving(world, migration, key -> entries.change(key, Edit.put(key)));
    }

    @Test
    void theRoundTripsAreThoseOfThePage() throws IOException {
        assertThat(CostPage.read()).containsEntry(
                "map that grows: an operation's share of moving it, 16 buckets, `LongLongMap` / `DistributedMap`",
                CostPage.counted(GrowthCostTest::movingLongs, GrowthCostTest::movingObjects));
    }
}
