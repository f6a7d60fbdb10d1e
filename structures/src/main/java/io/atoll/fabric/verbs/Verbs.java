package io.atoll.fabric.verbs;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.verbs.device.Ordering;
import io.atoll.fabric.verbs.device.Place;
import io.atoll.memory.WorldIdentity;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * RDMA verbs: InfiniBand, RoCE, or Soft-RoCE on any Ethernet. A rank's segment is pinned for the device: {@code ulimit -l} must allow as much.
 *
 * @param segments where a rank has its segment on its host, so that it outlives the process: shared memory
 * @param place the device of this process, and where it is reached
 * @param queuePairs between two ranks, each way; a thread uses one of them
 * @param depth work requests that a queue pair has under way, 64 at least
 * @param ordering what the device is known to guarantee; null for what is known of it without being told
 */
public record Verbs(FabricType segments, Place place, int queuePairs, int depth, @Nullable Ordering ordering)
        implements
            FabricType {

    /** Connections to each rank, unless told. */
    public static final int QUEUE_PAIRS = 2;

    /** Work requests under way, unless told. */
    public static final int DEPTH = 256;

    static final int SMALLEST_DEPTH = 64;

    public Verbs {
        if (queuePairs < 1) {
            throw new IllegalArgumentException("at least one is needed: queuePairs=" + queuePairs);
        }
        if (depth < SMALLEST_DEPTH) {
            throw new IllegalArgumentException("at least " + SMALLEST_DEPTH + " is needed: depth=" + depth);
        }
    }

    /** By the first device, with {@value #QUEUE_PAIRS} queue pairs and what is known of the device. */
    public Verbs(FabricType segments) {
        this(segments, Place.FIRST, QUEUE_PAIRS, DEPTH, null);
    }

    @Override
    public String name() {
        return "verbs";
    }

    @Override
    public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
        Attachment host = segments.attach(world, rank, segmentBytes);
        return world.size() == 1 ? host : VerbsAttachment.open(this, world, host);
    }
}
