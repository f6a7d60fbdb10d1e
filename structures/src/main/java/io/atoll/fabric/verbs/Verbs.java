package io.atoll.fabric.verbs;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.Guarantees;
import io.atoll.memory.WorldIdentity;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * RDMA verbs: InfiniBand, RoCE, or Soft-RoCE on any Ethernet. A rank's segment is pinned for the device: {@code ulimit -l} must allow as much.
 *
 * @param segments where a rank has its segment on its host, so that it outlives the process: shared memory
 * @param host address of this process that its device is to be reached at; null for that of the first device
 * @param port where rank 0 listens, rank r listens r above; 0 for any, which peers learn from the membership
 * @param queuePairs between two ranks, each way; a thread uses one of them
 * @param depth work requests that a queue pair has under way, 64 at least
 * @param ordering what the device is known to guarantee; null for what is known of it without being told
 */
public record Verbs(FabricType segments, @Nullable String host, int port, int queuePairs, int depth,
        @Nullable Ordering ordering) implements FabricType {

    /**
     * What a device and its settings guarantee beyond the specification of RDMA, as its vendor says.
     *
     * @param atomicReadBytes see {@link Guarantees}
     * @param readsInOrder see {@link Guarantees}
     */
    public record Ordering(int atomicReadBytes, boolean readsInOrder) {}

    static final int SMALLEST_DEPTH = 64;

    private static final int QUEUE_PAIRS = 2;
    private static final int DEPTH = 256;

    public Verbs {
        if (port < 0 || port > 0xFFFF) {
            throw new IllegalArgumentException("ports run from 0 to 65535: port=" + port);
        }
        if (queuePairs < 1) {
            throw new IllegalArgumentException("at least one is needed: queuePairs=" + queuePairs);
        }
        if (depth < SMALLEST_DEPTH) {
            throw new IllegalArgumentException("at least " + SMALLEST_DEPTH + " is needed: depth=" + depth);
        }
    }

    /** With any port, two queue pairs and what is known of the device. */
    public Verbs(FabricType segments) {
        this(segments, null, 0, QUEUE_PAIRS, DEPTH, null);
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
