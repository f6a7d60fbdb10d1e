package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.map.block.Block;
import io.atoll.map.block.BlockFigures;
import io.atoll.world.directory.Figures;
import io.atoll.world.directory.NamedStructure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * How full a map is, by the buckets at the beginning of one rank's block, as many as a batch holds. Keys are spread evenly, so the others look alike: of
 * 512 buckets the load is right to about 0.02. Of a map that is nearly empty that says no more than below how many entries it has; small ones are counted.
 */
public abstract class MapFigures implements Figures {

    /** Of a {@link DistributedMap}. */
    public static final Figures OF_OBJECTS = new MapFigures() {

        @Override
        void look(Batch batch, long position, long index, Placement placement, Sample sample) {
            sample.keys += Bucket.hasKey(batch.word(position)) ? 1 : 0;
            sample.living += isLiving(batch, position) ? 1 : 0;
        }

        @Override
        boolean isLiving(Batch batch, long position) {
            return Bucket.isLiving(batch.word(position)); // the first word
        }

        @Override
        OptionalLong bucketBytes(NamedStructure block) {
            return block.number(BUCKET_BYTES);
        }
    };

    /** Of a {@link LongLongMap}; also how many reads a find takes. */
    public static final Figures OF_LONGS = new MapFigures() {

        @Override
        void look(Batch batch, long position, long index, Placement placement, Sample sample) {
            long word = batch.word(position + LongBucket.VALUE);
            sample.keys += LongBucket.hasKey(word) ? 1 : 0;
            if (isLiving(batch, position)) {
                long home = placement.home(KeyHash.of(batch.word(position + LongBucket.KEY)));
                sample.living++;
                sample.reads += 1 + placement.groups(home, index, LongTable.LINE_BUCKETS);
            }
        }

        @Override
        boolean isLiving(Batch batch, long position) {
            return LongBucket.isPresent(batch.word(position + LongBucket.VALUE));
        }

        @Override
        OptionalLong bucketBytes(NamedStructure block) {
            return OptionalLong.of(LongBucket.SIZE);
        }
    };

    /** As maps of objects say in the directory how large their buckets are. */
    static final String BUCKET_BYTES = "bucket-bytes";

    /** A sample in which no bucket has a value hardly comes of a map with so many times as many as one in the sample would mean. */
    private static final double HARDLY_MISSED = 3;

    private static final class Sample {

        private long keys;
        private long living;
        private long reads;
    }

    private MapFigures() {}

    abstract void look(Batch batch, long position, long index, Placement placement, Sample sample);

    abstract boolean isLiving(Batch batch, long position);

    /** Of a map that grows. */
    abstract OptionalLong bucketBytes(NamedStructure block);

    @Override
    public Map<String, Double> read(Endpoint endpoint, int rank, NamedStructure block) {
        OptionalLong capacity = block.number("capacity");
        if (capacity.isEmpty()) {
            return grows(block) ? growing(endpoint, rank, block) : Map.of();
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

    private static boolean grows(NamedStructure block) {
        return block.number("first-capacity").isPresent();
    }

    @Override
    public List<Long> runs(Endpoint endpoint, int rank, NamedStructure block) {
        return grows(block)
                ? BlockFigures.read(endpoint, rank, block.offset()).map(BlockFigures::runs).orElse(List.of())
                : List.of();
    }

    @Override
    public OptionalLong entries(Endpoint endpoint, int rank, NamedStructure block) {
        OptionalLong capacity = block.number("capacity");
        if (capacity.isPresent()) {
            long buckets = Placement.forCapacity(endpoint.size(), capacity.getAsLong()).buckets();
            return isCounted(endpoint, block.bytes())
                    ? OptionalLong.of(count(endpoint, rank, block.offset(), buckets, block.bytes() / buckets))
                    : OptionalLong.empty();
        }
        return grows(block) && bucketBytes(block).isPresent()
                ? countGrowing(endpoint, rank, block.offset(), bucketBytes(block).getAsLong())
                : OptionalLong.empty();
    }

    /** While a block is being moved, an entry that is just being copied may be counted twice. */
    private OptionalLong countGrowing(Endpoint endpoint, int rank, long header, long bucketBytes) {
        List<Long> blocks = blocks(endpoint, rank, header);
        long buckets = blocks.stream().mapToLong(Block::buckets).sum();
        if (!isCounted(endpoint, buckets * bucketBytes)) {
            return OptionalLong.empty();
        }
        long living = 0;
        for (long block : blocks) {
            living += count(endpoint, rank, Block.offset(block), Block.buckets(block), bucketBytes);
        }
        return blocks(endpoint, rank, header).equals(blocks) ? OptionalLong.of(living) : OptionalLong.empty();
    }

    private static List<Long> blocks(Endpoint endpoint, int rank, long header) {
        return BlockFigures.read(endpoint, rank, header).map(BlockFigures::blocks).orElse(List.of());
    }

    private static boolean isCounted(Endpoint endpoint, long bytes) {
        return bytes * endpoint.size() <= COUNTED_BYTES;
    }

    private long count(Endpoint endpoint, int rank, long offset, long buckets, long bucketBytes) {
        long living = 0;
        long most = Batch.THREAD_BUFFER_BYTES / bucketBytes;
        Batch batch = endpoint.batch(rank);
        for (long first = 0; first < buckets; first += most) {
            long part = Math.min(most, buckets - first);
            batch.read(rank, offset + first * bucketBytes, 0, part * bucketBytes);
            batch.complete();
            for (long index = 0; index < part; index++) {
                living += isLiving(batch, index * bucketBytes) ? 1 : 0;
            }
        }
        return living;
    }

    private static Map<String, Double> figures(Sample sample, double sampled, double buckets) {
        Map<String, Double> figures = new LinkedHashMap<>();
        if (sample.living > 0) {
            figures.put("entries about", (double) Math.round(sample.living / sampled * buckets));
        } else {
            figures.put("entries below", (double) Math.round(HARDLY_MISSED / sampled * buckets));
        }
        figures.put("buckets", buckets);
        figures.put("load", sample.keys / sampled);
        if (sample.reads > 0) {
            figures.put("reads per find", (double) sample.reads / sample.living);
        }
        return figures;
    }
}
