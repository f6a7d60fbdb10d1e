package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.map.block.BlockFigures;
import io.atoll.world.directory.Figures;
import io.atoll.world.directory.NamedStructure;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * How full a map is, by the buckets at the beginning of one rank's block, as many as a batch holds. Keys are spread evenly, so the others look alike: of
 * 512 buckets the load is right to about 0.02.
 */
public abstract class MapFigures implements Figures {

    /** Of a {@link DistributedMap}. */
    public static final Figures OF_OBJECTS = new MapFigures() {

        @Override
        void look(Batch batch, long position, long index, Placement placement, Sample sample) {
            long state = batch.word(position); // Bucket: the first word
            sample.keys += Bucket.hasKey(state) ? 1 : 0;
            sample.living += Bucket.isLiving(state) ? 1 : 0;
        }
    };

    /** Of a {@link LongLongMap}; also how many reads a find takes. */
    public static final Figures OF_LONGS = new MapFigures() {

        @Override
        void look(Batch batch, long position, long index, Placement placement, Sample sample) {
            long word = batch.word(position + LongBucket.VALUE);
            sample.keys += LongBucket.hasKey(word) ? 1 : 0;
            if (LongBucket.isPresent(word)) {
                long home = placement.home(KeyHash.of(batch.word(position + LongBucket.KEY)));
                sample.living++;
                sample.reads += 1 + placement.groups(home, index, LongTable.LINE_BUCKETS);
            }
        }
    };

    private static final class Sample {

        private long keys;
        private long living;
        private long reads;
    }

    private MapFigures() {}

    abstract void look(Batch batch, long position, long index, Placement placement, Sample sample);

    @Override
    public Map<String, Double> read(Endpoint endpoint, int rank, NamedStructure block) {
        OptionalLong capacity = block.number("capacity");
        if (capacity.isEmpty()) {
            return block.number("first-capacity").isPresent() ? growing(endpoint, rank, block) : Map.of();
        }
        Placement placement = Placement.forCapacity(endpoint.size(), capacity.getAsLong());
        long bucketBytes = block.bytes() / placement.buckets();
        long sampled = Math.min(placement.buckets(), Batch.THREAD_BUFFER_BYTES / bucketBytes);
        Batch batch = endpoint.batch(rank);
        batch.read(rank, block.offset(), 0, sampled * bucketBytes);
        batch.complete();
        Sample sample = new Sample();
        for (long index = 0; index < sampled; index++) {
            look(batch, index * bucketBytes, index, placement, sample);
        }
        return figures(sample, sampled, placement.buckets() * placement.ranks());
    }

    private static Map<String, Double> growing(Endpoint endpoint, int rank, NamedStructure header) {
        return BlockFigures.read(endpoint, rank, header.offset())
                .map(read -> read.ofAllRanks(endpoint.size()))
                .orElse(Map.of());
    }

    private static Map<String, Double> figures(Sample sample, double sampled, double buckets) {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("entries", (double) Math.round(sample.living / sampled * buckets));
        figures.put("buckets", buckets);
        figures.put("load", sample.keys / sampled);
        if (sample.reads > 0) {
            figures.put("reads per find", (double) sample.reads / sample.living);
        }
        return figures;
    }
}
