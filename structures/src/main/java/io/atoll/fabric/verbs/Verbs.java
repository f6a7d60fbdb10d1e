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
 * @param place the device of this process, and where it is reached
 * @param queuePairs between two ranks, each way; a thread uses one of them
 * @param depth work requests that a queue pair has under way, 64 at least
 * @param ordering what the device is known to guarantee; null for what is known of it without being told
 */
public record Verbs(FabricType segments, Place place, int queuePairs, int depth, @Nullable Ordering ordering)
        implements
            FabricType {

    /**
     * Where a process is reached: an address of IP, by which the device is found, too. Peers learn it from the membership or, on one host, from the segment.
     *
     * @param device its name as in {@code /sys/class/infiniband}, such as {@code mlx5_0}; null for the first
     * @param devicePort of the device, from 1
     * @param gidIndex entry of the port's table of addresses; null for the first with an address of IPv4
     * @param host the address itself, instead of device and table; needed with InfiniBand whose interface is not on the same card
     * @param port where rank 0 listens, rank r listens r above; 0 for any
     */
    public record Place(@Nullable String device, int devicePort, @Nullable Integer gidIndex, @Nullable String host,
            int port) {

        /** The first device with an address. */
        public static final Place FIRST = new Place(null, 1, null, null, 0);

        public Place {
            if (devicePort < 1) {
                throw new IllegalArgumentException("a device's ports are counted from 1: devicePort=" + devicePort);
            }
            if (gidIndex != null && gidIndex < 0) {
                throw new IllegalArgumentException("the table of addresses begins at 0: gidIndex=" + gidIndex);
            }
            if (port < 0 || port > 0xFFFF) {
                throw new IllegalArgumentException("ports run from 0 to 65535: port=" + port);
            }
        }
    }

    /**
     * What a device and its settings guarantee beyond the specification of RDMA, as its vendor says.
     *
     * @param atomicReadBytes see {@link Guarantees}
     * @param readsInOrder see {@link Guarantees}
     */
    public record Ordering(int atomicReadBytes, boolean readsInOrder) {}

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
