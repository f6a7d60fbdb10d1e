package io.atoll.filter;

import io.atoll.codec.FixedHash;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.memory.Layouts;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Handle;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** Ranks of one process over shared memory, with room for one filter. */
final class Ranks implements AutoCloseable {

    private final FilterSize size;
    private final List<Attachment> attachments;

    Ranks(Path folder, int count, FilterSize size) {
        this.size = size;
        WorldIdentity world = new WorldIdentity("filter", count);
        SharedMemory memory = new SharedMemory(folder, false);
        long bytes = Layouts.roundUp(SegmentHeader.size(WorldIdentity.defaultMaxSize(count)) + size.bytesPerRank(count),
                4096);
        attachments = IntStream.range(0, count)
                .mapToObj(rank -> memory.attach(world, OptionalInt.of(rank), bytes))
                .toList();
        for (Attachment attachment : attachments) {
            IntStream.range(0, count)
                    .filter(peer -> peer != attachment.fabric().rank())
                    .forEach(peer -> attachment.connect(peer, 1, Map.of()));
        }
    }

    FilterBlocks blocks(int rank) {
        Endpoint endpoint = new Endpoint(attachments.get(rank).fabric());
        long[] offsets = new long[attachments.size()];
        Arrays.fill(offsets, SegmentHeader.size(WorldIdentity.defaultMaxSize(attachments.size())));
        return new FilterBlocks(endpoint, FixedHash.HASHING, offsets, size.bytesPerRank(offsets.length) / Layouts.WORD,
                size.patternBits());
    }

    LongBloomFilter filter(int rank) {
        return new LongBloomFilter("seen", new Handle<>(() -> blocks(rank)), size);
    }

    /** Returns the number of set bits, counted in the segments themselves. */
    long setBits() {
        long count = 0;
        for (Attachment attachment : attachments) {
            long begin = SegmentHeader.size(WorldIdentity.defaultMaxSize(attachments.size()));
            for (long at = 0; at < size.bytesPerRank(attachments.size()); at += Layouts.WORD) {
                count += Long.bitCount(attachment.fabric().local().getAcquire(begin + at));
            }
        }
        return count;
    }

    @Override
    public void close() {
        attachments.forEach(Attachment::close);
    }
}
