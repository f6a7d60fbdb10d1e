package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.WideCodec;
import io.atoll.failure.StructureName;
import io.atoll.map.Entries.Edit;
import io.atoll.promise.Promise;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Growing is spread over operations, however large the map is by then. */
class GrowthBoundTest {

    private static final long FIRST_BUCKETS = 1_024;
    private static final long KEYS = 60_000;
    private static final int MOST_AT_ONCE = 16;
    private static final Codec<Long> LONGS = Codecs.forType(Long.class);

    static final List<Codec<Long>> CODECS = List.of(LONGS, new WideCodec(2));

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
        Participant self = worlds.rank(0).participant();
        long[] headers = self.directory().open(name, "bound", rank -> GrowingBlocks.HEADER_BYTES);
        return new GrowingBlocks(new StructureName(name, "bound"), self, worlds.rank(0).epochs(), headers,
                FIRST_BUCKETS, bucketBytes, new BlockRuns(self, bucketBytes),
                new Migration(self) {
                    @Override
                    boolean help(int owner, long block, long next, Mover mover) {
                        return super.help(owner, block, next, counting(mover));
                    }
                }, OnLoss.FAIL);
    }

    private Mover counting(Mover mover) {
        return new Mover() {

            @Override
            public boolean executesAtOnce(int owner) {
                return mover.executesAtOnce(owner);
            }

            @Override
            public boolean move(int owner, long block, long bucket, long next) {
                moved++;
                return mover.move(owner, block, bucket, next);
            }

            @Override
            public int moveTogether(int owner, long block, long begin, int count, long next) {
                moved += count;
                return mover.moveTogether(owner, block, begin, count, next);
            }
        };
    }

    /** Runs the operation on each key in its turn. */
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
        var table = new LongTable("longs", worlds.rank(0).participant(), blocks("longs", LongBucket.SIZE), null);
        assertIsBound(key -> assertThat(table.insert(key, key)).isTrue());
        for (long key = 0; key < KEYS; key++) {
            assertThat(table.find(key, -1)).isEqualTo(key);
        }
    }

    @Test
    void noOperationOnAMapOfObjectsMovesMoreThanSixteenBuckets() {
        InlineEntries<Long, Long> entries = entries(LONGS);
        assertIsBound(key -> assertThat(entries.change(key, Edit.put(key))).isTrue());
        assertAllFound(entries);
    }

    @ParameterizedTest
    @FieldSource("CODECS")
    void norDoesAnInsertionWhetherItsKeysHomeIsFreeOrNot(Codec<Long> codec) {
        InlineEntries<Long, Long> entries = entries(codec);
        assertIsBound(key -> assertThat(entries.insert(key, key, Promise.nothing())).isTrue());
        assertAllFound(entries);
    }

    @ParameterizedTest
    @FieldSource("CODECS")
    void norDoesAnInsertionOfWhatABufferHasSent(Codec<Long> codec) {
        InlineEntries<Long, Long> entries = entries(codec);
        Message message = new Message(1, Message.bytes(1, entries.bytesInMessage()));
        assertIsBound(key -> {
            assertThat(entries.append(key, key, message)).isTrue();
            message.seal();
            message.insertAll(entries::insert);
        });
        assertAllFound(entries);
    }

    private InlineEntries<Long, Long> entries(Codec<Long> codec) {
        Bucket bucket = new Bucket(codec.bytes(), codec.bytes());
        var table = new BucketTable("objects", worlds.rank(0).participant(), blocks("objects", bucket.size), bucket,
                InlineEntries.hashing(worlds.rank(0).participant(), codec, null), null);
        return new InlineEntries<>(table, codec, codec, null);
    }

    private static void assertAllFound(InlineEntries<Long, Long> entries) {
        for (long key = 0; key < KEYS; key++) {
            assertThat(entries.find(key, Promise.nothing())).isEqualTo(key);
        }
    }
}
