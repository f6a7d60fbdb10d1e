package io.atoll.fabric.verbs;

import io.atoll.fabric.Batch;
import io.atoll.fabric.verbs.device.RegisteredMemory;
import io.atoll.fabric.verbs.link.Lane;
import io.atoll.fabric.verbs.link.Link;
import io.atoll.fabric.verbs.link.Pending;
import io.atoll.failure.RankUnreachableException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A thread as it uses the fabric: its lanes, always the same ones so that its verbs keep their order, and its registered memory. */
final class Caller {

    private static final long OUTGOING_BYTES = 16 << 10;

    private final int laneIndex;
    private final @Nullable Lane[] lanes; // last used, by rank
    private final VerbsBatch batch;
    private final VerbsBatch single;
    // What was written and is on its way. One is filled while the other departs.
    private VerbsBatch outgoing;
    private VerbsBatch departing;
    private long outgoingBytes;

    Caller(VerbsFabric fabric, int laneIndex, int slots) {
        this.laneIndex = laneIndex;
        this.lanes = new Lane[fabric.size()];
        Pending[] pending = {new Pending(), new Pending(), new Pending(), new Pending()};
        long batchBytes = VerbsBatch.bytes(slots, Batch.THREAD_BUFFER_BYTES);
        long singleBytes = VerbsBatch.bytes(1, Batch.THREAD_BUFFER_BYTES);
        long outgoingSize = VerbsBatch.bytes(1, OUTGOING_BYTES);
        Runnable[] settling = Arrays.stream(pending).<Runnable>map(each -> each::settle).toArray(Runnable[]::new);
        RegisteredMemory memory = fabric.memory().allocate(this, batchBytes + singleBytes + 2 * outgoingSize, settling);
        SegmentAllocator parts = SegmentAllocator.slicingAllocator(memory.bytes());
        this.batch = new VerbsBatch(fabric, this, slots, parts.allocate(batchBytes), memory.key(), pending[0]);
        this.single = new VerbsBatch(fabric, this, 1, parts.allocate(singleBytes), memory.key(), pending[1]);
        this.outgoing = new VerbsBatch(fabric, this, 1, parts.allocate(outgoingSize), memory.key(), pending[2]);
        this.departing = new VerbsBatch(fabric, this, 1, parts.allocate(outgoingSize), memory.key(), pending[3]);
    }

    VerbsBatch batch() {
        return batch;
    }

    /** For one verb that is waited for. */
    VerbsBatch single() {
        return single;
    }

    /** The way to a rank. */
    Lane lane(Link link, int rank, String verb, long offset) {
        Lane before = lanes[rank];
        // Where there is no way, that tells of what was lost, too.
        lanes[rank] = null;
        Lane lane = link.lane(laneIndex, verb, offset);
        lanes[rank] = lane;
        if (lane != before) {
            if (before != null && before.hasLostWrites()) {
                throw new RankUnreachableException(
                        "an earlier write may be lost, since the connection broke, repeat what wrote it", verb, rank,
                        offset);
            }
        }
        return lane;
    }

    /** Sends words away. Returns when the source may be used again. */
    void write(int rank, long offset, MemorySegment source, long position, long bytes) {
        long at = 0;
        do {
            long part = Math.min(bytes - at, OUTGOING_BYTES);
            long place = reserve(part);
            MemorySegment.copy(source, position + at, outgoing.buffer(), place, part);
            outgoing.write(rank, offset + at, place, part);
            outgoing.postAdded(false);
            at += part;
        } while (at < bytes);
    }

    void writeWord(int rank, long offset, long value) {
        long place = reserve(Long.BYTES);
        outgoing.setWord(place, value);
        outgoing.write(rank, offset, place, Long.BYTES);
        outgoing.postAdded(false);
    }

    /** Finds room for outgoing bytes, and waits for it where there is none. */
    private long reserve(long bytes) {
        if (outgoingBytes + bytes > OUTGOING_BYTES) {
            VerbsBatch full = outgoing;
            outgoing = departing.emptied();
            departing = full;
            outgoingBytes = 0;
        }
        long place = outgoingBytes;
        outgoingBytes += bytes;
        return place;
    }
}
