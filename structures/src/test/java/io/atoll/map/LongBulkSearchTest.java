package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Searches for keys that want the same bucket, in a block of two lines. */
class LongBulkSearchTest {

    private static final long BLOCK = TwoBlocks.next(LongBucket.SIZE);
    private static final int BUCKETS = (int) Block.buckets(BLOCK);
    private static final long KEY = 3;
    private static final long HOME = Block.home(BLOCK, FixedHash.of(KEY));

    private final Endpoint endpoint = new Endpoint(new Simulation(1,
            SimOptions.ranks(1).segmentBytes(1 << 20).guarantees(CostWorld.WORDS).unmapped()).fabric(0));
    private final LongReader reader = new LongReader(endpoint, new TwoBlocks(LongBucket.SIZE),
            new KeyHash(FixedHash.SEED));

    private long bucket(long step) {
        return reader.bucket(0, BLOCK, Block.bucket(BLOCK, HOME, step, LongReader.LINE_BUCKETS));
    }

    private void take(long step) {
        endpoint.writeWord(0, bucket(step) + LongBucket.KEY, -1 - step);
        endpoint.writeWord(0, bucket(step) + LongBucket.VALUE, LongBucket.present(step));
    }

    /** Returns what a search finds first, and when it passes that again and again. */
    private long[] found(int times) {
        long[] keys = new long[16]; // as many as are moved together
        Arrays.fill(keys, KEY);
        var search = new LongBulkSearch(reader, keys);
        Batch batch = endpoint.batch(0);
        search.begin(0, BLOCK);
        search.read(batch, new int[]{0}, 1, 0);
        batch.complete();
        long[] found = new long[times];
        for (int time = 0; time < times; time++) {
            assertThat(time == 0 || search.pass(0)).isTrue();
            found[time] = search.advance(batch, 0);
        }
        return found;
    }

    @Test
    void aSearchThatPassesABucketGoesOnInItsLine() {
        assertThat(found(2)).containsExactly(~bucket(0), ~bucket(1));
    }

    @Test
    void aSearchThatPassesTheLastBucketOfALineGoesOnInTheNextLine() {
        take(0);
        take(1);
        take(2);
        take(5);
        assertThat(found(3)).containsExactly(~bucket(3), ~bucket(4), ~bucket(6));
    }

    @Test
    void aSearchThatPassesAllBucketsOfABlockFindsItFull() {
        long[] found = found(BUCKETS + 1);
        assertThat(Arrays.copyOf(found, BUCKETS))
                .containsExactly(IntStream.range(0, BUCKETS).mapToLong(step -> ~bucket(step)).toArray());
        assertThat(found[BUCKETS]).isEqualTo(LongReader.FULL);
    }
}
