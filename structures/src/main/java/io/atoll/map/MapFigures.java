package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.map.block.Block;
import io.atoll.map.block.BlockFigures;
import io.atoll.map.block.Placement;
import io.atoll.map.bucket.Bucket;
import io.atoll.map.bucket.BucketSearch;
import io.atoll.map.entry.Form;
import io.atoll.map.entry.PayloadEntries;
import io.atoll.map.longs.LongBucket;
import io.atoll.map.longs.LongTable;
import io.atoll.memory.Layouts;
import io.atoll.world.directory.Figures;
import io.atoll.world.directory.NamedStructure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How full a map is, and how many reads a find takes, by the buckets at the beginning of one rank's block, as many as a batch holds. Keys are spread evenly, so the others look alike: of
 * 512 buckets the load is right to about 0.02. Of a map that is nearly empty that says no more than below how many entries it has; small ones are counted.
 */
public abstract class MapFigures implements Figures {

    /** Of a {@link DistributedMap}. */
    public static final Figures OF_OBJECTS = new MapFigures() {

        @Override
        boolean hasKey(Batch batch, long position) {
            return Bucket.hasKey(batch.word(position));
        }

        @Override
        boolean isLiving(Batch batch, long position) {
            return Bucket.isLiving(batch.word(position)); // the first word
        }

        @Override
        OptionalLong bucketBytes(NamedStructure block) {
            return block.number(BUCKET_BYTES);
        }

        /** What a payload is looked for by is its hash, which is the key here. What an own function makes of a key is not known here. */
        @Override
        OptionalLong hash(Batch batch, long position, NamedStructure block) {
            if (block.configuration().startsWith(Form.PAYLOADS, block.kind().length() + 1)) {
                return OptionalLong.of(PayloadEntries.hashing().hashOf(batch.buffer(), position + Layouts.WORD));
            }
            OptionalLong keyBytes = block.number(KEY_BYTES);
            return keyBytes.isPresent() && block.configuration().contains(" " + HASH_OF_WORDS + " ")
                    ? OptionalLong.of(KeyHash.of(batch.buffer(), position + Layouts.WORD, (int) keyBytes.getAsLong()))
                    : OptionalLong.empty();
        }

        @Override
        int group(long bucketBytes) {
            return BucketSearch.group(bucketBytes);
        }
    };

    /** Of a {@link LongLongMap}. */
    public static final Figures OF_LONGS = new MapFigures() {

        @Override
        boolean hasKey(Batch batch, long position) {
            return LongBucket.hasKey(batch.word(position + LongBucket.VALUE));
        }

        @Override
        boolean isLiving(Batch batch, long position) {
            return LongBucket.isPresent(batch.word(position + LongBucket.VALUE));
        }

        @Override
        OptionalLong bucketBytes(NamedStructure block) {
            return OptionalLong.of(LongBucket.SIZE);
        }

        @Override
        OptionalLong hash(Batch batch, long position, NamedStructure block) {
            return OptionalLong.of(KeyHash.of(batch.word(position + LongBucket.KEY)));
        }

        @Override
        int group(long bucketBytes) {
            return LongTable.LINE_BUCKETS;
        }
    };

    /** As maps of objects say in the directory how large their buckets are, and the keys in them. */
    static final String BUCKET_BYTES = "bucket-bytes";
    static final String KEY_BYTES = "key-bytes";

    /** And that no function of the user's own hashes them. */
    static final String HASH_OF_WORDS = "hash=words";

    /** A sample in which no bucket has a value hardly comes of a map with so many times as many as one in the sample would mean. */
    private static final double HARDLY_MISSED = 3;

    private static final class Sample {

        private long buckets;
        private long keys;
        private long living;
        private long placed; // of which it is known how many reads a find takes
        private long reads;

        /** How many reads a find of a key that is there takes, on the average; nothing if it is not known. */
        Map<String, Double> readsPerFind() {
            return placed > 0 ? Map.of("reads per find", (double) reads / placed) : Map.of();
        }
    }

    private MapFigures() {}

    abstract boolean hasKey(Batch batch, long position);

    abstract boolean isLiving(Batch batch, long position);

    /** Of a map that grows. */
    abstract OptionalLong bucketBytes(NamedStructure block);

    /** Of the key of a bucket in the batch's buffer, if it is known here. */
    abstract OptionalLong hash(Batch batch, long position, NamedStructure block);

    /** Buckets that a find reads at once. */
    abstract int group(long bucketBytes);

    @Override
    public Map<String, Double> read(Endpoint endpoint, int rank, NamedStructure block) {
        OptionalLong capacity = block.number("capacity");
        if (capacity.isEmpty()) {
            return grows(block) ? growing(endpoint, rank, block) : Map.of();
        }
        Placement placement = Placement.forCapacity(endpoint.size(), capacity.getAsLong());
        Sample sample = sample(endpoint, rank, block, block.offset(), placement.buckets(),
                block.bytes() / placement.buckets());
        return figures(sample, placement.buckets() * placement.ranks());
    }

    private Sample sample(Endpoint endpoint, int rank, NamedStructure structure, long offset, long buckets,
            long bucketBytes) {
        Sample sample = new Sample();
        sample.buckets = Math.min(buckets, Batch.THREAD_BUFFER_BYTES / bucketBytes);
        Batch batch = endpoint.batch(rank);
        batch.read(rank, offset, 0, sample.buckets * bucketBytes);
        batch.complete();
        Placement placement = new Placement(1, buckets);
        int group = group(bucketBytes);
        for (long index = 0; index < sample.buckets; index++) {
            long position = index * bucketBytes;
            sample.keys += hasKey(batch, position) ? 1 : 0;
            if (isLiving(batch, position)) {
                sample.living++;
                OptionalLong hash = hash(batch, position, structure);
                if (hash.isPresent()) {
                    sample.placed++;
                    sample.reads += 1 + placement.groups(placement.home(hash.getAsLong()), index, group);
                }
            }
        }
        return sample;
    }

    private Map<String, Double> growing(Endpoint endpoint, int rank, NamedStructure header) {
        Optional<BlockFigures> read = BlockFigures.read(endpoint, rank, header.offset());
        if (read.isEmpty()) {
            return Map.of();
        }
        Map<String, Double> figures = new LinkedHashMap<>(read.get().ofAllRanks(endpoint.size()));
        figures.putAll(readsPerFind(endpoint, rank, header, read.get().blocks().getLast()));
        return figures;
    }

    /** In the block that others are moved to. It counts only if it still was one afterwards. */
    private Map<String, Double> readsPerFind(Endpoint endpoint, int rank, NamedStructure header, long block) {
        OptionalLong bucketBytes = bucketBytes(header);
        if (bucketBytes.isEmpty()) {
            return Map.of();
        }
        Sample sample = sample(endpoint, rank, header, Block.offset(block), Block.buckets(block),
                bucketBytes.getAsLong());
        return blocks(endpoint, rank, header.offset()).contains(block) ? sample.readsPerFind() : Map.of();
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

    private static Map<String, Double> figures(Sample sample, double buckets) {
        Map<String, Double> figures = new LinkedHashMap<>();
        if (sample.living > 0) {
            figures.put("entries about", (double) Math.round(sample.living * buckets / sample.buckets));
        } else {
            figures.put("entries below", (double) Math.round(HARDLY_MISSED * buckets / sample.buckets));
        }
        figures.put("buckets", buckets);
        figures.put("load", (double) sample.keys / sample.buckets);
        figures.putAll(sample.readsPerFind());
        return figures;
    }
}
