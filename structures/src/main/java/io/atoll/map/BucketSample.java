package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.map.BlockFigures.Found;
import io.atoll.world.NamedStructure;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A sample of a block: the buckets at its beginning, as many as a batch holds. Cost: R. */
final class BucketSample {

    /**
     * If one bucket of the sample had a value, that would mean some number of entries. If none has one, the block most
     * likely has fewer than this many times that number.
     */
    private static final double HARDLY_MISSED = 3;

    private final long ofBuckets; // in the block
    private final long buckets;
    private long keys;
    private long living;
    private long placed; // living entries for which it is known how many reads a find takes
    private long reads;

    BucketSample(MapFigures map, Endpoint endpoint, int rank, NamedStructure structure, Found found, long bucketBytes) {
        long block = found.block();
        ofBuckets = Block.buckets(block);
        buckets = Math.min(Block.contiguous(block, 0), Batch.THREAD_BUFFER_BYTES / bucketBytes);
        long begin = Pieces.offset(found.pieces(), block, 0, bucketBytes);
        Optional<KeyHash> hashing = map.hashing(rank); // before the batch, whose buffer it may use
        try (Batch batch = endpoint.batch(rank)) {
            batch.read(rank, begin, 0, buckets * bucketBytes);
            batch.complete();
            sample(map, hashing, batch, structure, bucketBytes);
        }
    }

    private void sample(MapFigures map, Optional<KeyHash> hashing, Batch batch, NamedStructure structure,
            long bucketBytes) {
        Placement placement = new Placement(1, ofBuckets);
        int group = map.group(bucketBytes);
        for (long index = 0; index < buckets; index++) {
            long position = index * bucketBytes;
            keys += map.hasKey(batch, position) ? 1 : 0;
            if (map.isLiving(batch, position)) {
                living++;
                OptionalLong hash = hashing.isPresent()
                        ? map.hash(hashing.get(), batch, position, structure)
                        : OptionalLong.empty();
                if (hash.isPresent()) {
                    placed++;
                    reads += 1 + placement.groups(placement.home(hash.getAsLong()), index, group);
                }
            }
        }
    }

    /** Returns how many reads a find of a key that is there takes, on the average; empty if that is not known. */
    Map<String, Double> readsPerFind() {
        return placed > 0 ? Map.of("reads per find", (double) reads / placed) : Map.of();
    }

    /** Returns figures of all ranks, as if all were like this one. */
    Map<String, Double> ofAllRanks(int ranks) {
        Map<String, Double> figures = new LinkedHashMap<>();
        double all = (double) ofBuckets * ranks;
        if (living > 0) {
            figures.put("entries about", (double) Math.round(living * all / buckets));
        } else {
            figures.put("entries below", (double) Math.round(HARDLY_MISSED * all / buckets));
        }
        figures.put("buckets", all);
        figures.put("load", (double) keys / buckets);
        figures.putAll(readsPerFind());
        return figures;
    }
}
