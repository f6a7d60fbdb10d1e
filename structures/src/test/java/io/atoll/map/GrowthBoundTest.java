package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.Codec;
import io.atoll.codec.fixed.Codecs;
import io.atoll.map.block.Blocks;
import io.atoll.map.block.Mover;
import io.atoll.world.Handle;
import java.nio.file.Path;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That growing is spread over operations, however large the map is by then. */
class GrowthBoundTest {

    private static final long FIRST_CAPACITY = 1_000;
    private static final long KEYS = 60_000;
    private static final int MOST_AT_ONCE = 16;
    private static final Codec<Long> LONGS = Codecs.forType(Long.class);

    @TempDir
    Path folder;

    private Worlds worlds;
    private long moved; // buckets

    @BeforeEach
    void join() {
        worlds = new Worlds(folder, 2);
    }

    @AfterEach
    void leave() {
        worlds.close();
    }

    private Blocks blocks(String name, long bucketBytes) {
        return new Capacity(FIRST_CAPACITY, false)
                .open(name, worlds.rank(0).participant(), worlds.rank(0).epochs(), false, "bound", bucketBytes);
    }

    private Mover counting(Mover mover) {
        return (owner, block, bucket, next) -> {
            moved++;
            return mover.move(owner, block, bucket, next);
        };
    }

    /** On each key in its turn. */
    private void assertIsBound(LongConsumer operation) {
        long movers = 0;
        for (long key = 0; key < KEYS; key++) {
            long before = moved;
            operation.accept(key);
            assertThat(moved - before).as("key=" + key).isLessThanOrEqualTo(MOST_AT_ONCE);
            movers += moved > before ? 1 : 0;
        }
        assertThat(moved).as("buckets that were moved").isGreaterThan(KEYS / 2);
        assertThat(movers).as("operations that moved some").isGreaterThanOrEqualTo(moved / MOST_AT_ONCE);
    }

    @Test
    void noOperationOnAMapOfLongsMovesMoreThanSixteenBuckets() {
        var table = new LongTable("longs", worlds.rank(0).participant(), blocks("longs", LongBucket.SIZE)) {

            @Override
            public boolean move(int owner, long block, long index, long next) {
                moved++;
                return super.move(owner, block, index, next);
            }
        };
        var map = new LongLongMap("longs", new Handle<>(() -> table));
        assertIsBound(key -> assertThat(map.insert(key, key)).isTrue());
        for (long key = 0; key < KEYS; key++) {
            assertThat(map.find(key, -1)).isEqualTo(key);
        }
    }

    @Test
    void noOperationOnAMapOfObjectsMovesMoreThanSixteenBuckets() {
        Bucket bucket = new Bucket(Long.BYTES, Long.BYTES);
        var table = new BucketTable("objects", worlds.rank(0).participant(), blocks("objects", bucket.size), bucket,
                InlineEntries.hashing(LONGS, null), grown -> counting(new BucketMover(grown)));
        var entries = new InlineEntries<>(table, LONGS, LONGS, null);
        var map = new DistributedMap<>("objects", new Handle<>(() -> entries));
        assertIsBound(key -> assertThat(map.put(key, key)).isTrue());
        for (long key = 0; key < KEYS; key++) {
            assertThat(map.find(key)).isEqualTo(key);
        }
    }
}
