package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.map.BlockFigures.Found;
import io.atoll.world.NamedStructure;
import io.atoll.world.StructureStats;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;

/**
 * Tells how full a map is, and how many reads a find takes. It looks at the buckets at the beginning of one rank's
 * block, as many as a batch holds. Keys are spread evenly, so the other buckets look alike: with 512 buckets the load
 * is right to about 0.02. For a map that is nearly empty, that only says below how many entries it has. Small maps are
 * counted.
 */
abstract class MapFigures implements StructureStats {

    private final IntFunction<OptionalLong> seeds;

    /** @param seeds of keys' hashes, as far as a rank knows them */
    MapFigures(IntFunction<OptionalLong> seeds) {
        this.seeds = seeds;
    }

    /** Returns how that rank hashes keys, or empty if it has never been asked to. */
    final Optional<KeyHash> hashing(int rank) {
        OptionalLong seed = seeds.apply(rank);
        return seed.isPresent() ? Optional.of(new KeyHash(seed.getAsLong())) : Optional.empty();
    }

    abstract boolean hasKey(Batch batch, long position);

    abstract boolean isLiving(Batch batch, long position);

    /** Returns the bytes of a bucket of a map that grows. */
    abstract OptionalLong bucketBytes(NamedStructure block);

    /** Returns the hash of a key whose bucket is in the batch's buffer, if it is known here. */
    abstract OptionalLong hash(KeyHash hashing, Batch batch, long position, NamedStructure block);

    /** Returns how many buckets a find reads at once. */
    abstract int group(long bucketBytes);

    @Override
    public Map<String, Double> read(Endpoint endpoint, int rank, NamedStructure block) {
        OptionalLong capacity = block.number("capacity");
        if (capacity.isEmpty()) {
            return grows(block) ? growing(endpoint, rank, block) : Map.of();
        }
        Placement placement = Placement.forCapacity(endpoint.size(), capacity.getAsLong());
        return new BucketSample(this, endpoint, rank, block, whole(block, placement.buckets()),
                block.bytes() / placement.buckets()).ofAllRanks(placement.ranks());
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

    private static Found whole(NamedStructure block, long buckets) {
        return new Found(Block.of(block.offset(), buckets), null);
    }

    /**
     * Returns the reads for each find in the block that other blocks are moved to. It counts only if that block was
     * still in use afterwards.
     */
    private Map<String, Double> readsPerFind(Endpoint endpoint, int rank, NamedStructure header, Found block) {
        OptionalLong bucketBytes = bucketBytes(header);
        if (bucketBytes.isEmpty()) {
            return Map.of();
        }
        BucketSample sample = new BucketSample(this, endpoint, rank, header, block, bucketBytes.getAsLong());
        return words(blocks(endpoint, rank, header.offset())).contains(block.block())
                ? sample.readsPerFind()
                : Map.of();
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
                    ? OptionalLong.of(count(endpoint, rank, whole(block, buckets), block.bytes() / buckets))
                    : OptionalLong.empty();
        }
        return grows(block) && bucketBytes(block).isPresent()
                ? countGrowing(endpoint, rank, block.offset(), bucketBytes(block).getAsLong())
                : OptionalLong.empty();
    }

    /**
     * Counts the entries of all blocks. While a block is being moved, an entry that is just being copied may be counted
     * twice.
     */
    private OptionalLong countGrowing(Endpoint endpoint, int rank, long header, long bucketBytes) {
        List<Found> blocks = blocks(endpoint, rank, header);
        long buckets = blocks.stream().mapToLong(found -> Block.buckets(found.block())).sum();
        if (!isCounted(endpoint, buckets * bucketBytes)) {
            return OptionalLong.empty();
        }
        long living = 0;
        for (Found block : blocks) {
            living += count(endpoint, rank, block, bucketBytes);
        }
        return words(blocks(endpoint, rank, header)).equals(words(blocks))
                ? OptionalLong.of(living)
                : OptionalLong.empty();
    }

    private static List<Long> words(List<Found> blocks) {
        return blocks.stream().map(Found::block).toList();
    }

    private static List<Found> blocks(Endpoint endpoint, int rank, long header) {
        return BlockFigures.read(endpoint, rank, header).map(BlockFigures::blocks).orElse(List.of());
    }

    private static boolean isCounted(Endpoint endpoint, long bytes) {
        return bytes * endpoint.size() <= COUNTED_BYTES;
    }

    private long count(Endpoint endpoint, int rank, Found found, long bucketBytes) {
        long block = found.block();
        long living = 0;
        long most = Batch.THREAD_BUFFER_BYTES / bucketBytes;
        try (Batch batch = endpoint.batch(rank)) {
            for (long first = 0, part = 0; first < Block.buckets(block); first += part) {
                part = Math.min(most, Block.contiguous(block, first));
                batch.read(rank, Pieces.offset(found.pieces(), block, first, bucketBytes), 0, part * bucketBytes);
                batch.complete();
                for (long index = 0; index < part; index++) {
                    living += isLiving(batch, index * bucketBytes) ? 1 : 0;
                }
            }
        }
        return living;
    }
}
