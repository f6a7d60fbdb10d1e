package io.atoll.fabric.rdma;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.link.Addresses;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.PeerConnections;
import io.atoll.fabric.link.Secret;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * RDMA verbs: InfiniBand, RoCE, or Soft-RoCE on any Ethernet. A rank's segment is pinned for the device:
 * {@code ulimit -l} must allow that much. A world of one rank reaches no other rank, so it takes memory of its own
 * instead of a device.
 *
 * <p>Ranks that know a secret prove that to each other before they connect. RDMA devices neither encrypt nor
 * authenticate what is sent afterwards. An attacker that can read packets of the network can read it. An attacker that
 * can change packets can take a connection over. So the network must be closed to others.
 *
 * @param segments where a rank has its segment on its host, so that the segment outlives the process: shared memory
 * @param rdmaAddress the device of this process, and where it is reached
 * @param queuePairs the number of queue pairs between two ranks, each way; a thread uses one of them
 * @param depth the number of work requests that a queue pair has under way, at least 64
 * @param readGuarantees what the device is known to guarantee; null for Atoll's own knowledge of the device
 * @param addresses where each rank listens, instead of {@code rdmaAddress}, for ranks on several hosts without a
 * membership. Empty if a membership tells, or if all ranks are on one host. Names are resolved when they are needed
 * @param secrets at least one if ranks must prove that they know a secret: the present one first, then those that it
 * replaces. If it is empty, every process that reaches the device is let in
 */
public record Rdma(FabricType segments, RdmaAddress rdmaAddress, int queuePairs, int depth,
        @Nullable ReadGuarantees readGuarantees,
        List<InetSocketAddress> addresses, List<Secret> secrets)
        implements
            FabricType {

    /**
     * The guarantees of a device and its settings beyond the specification of RDMA, according to its vendor.
     *
     * @param atomicReadBytes see {@link Guarantees}
     * @param readsInOrder see {@link Guarantees}
     */
    public record ReadGuarantees(int atomicReadBytes, boolean readsInOrder) {}

    /** The default number of connections to each rank. */
    public static final int QUEUE_PAIRS = 2;

    /** The default number of work requests under way. */
    public static final int DEPTH = 256;

    static final int SMALLEST_DEPTH = 64;

    public Rdma {
        if (queuePairs < 1 || queuePairs > PeerConnections.MOST_LANES) {
            throw new IllegalArgumentException(
                    "from 1 to " + PeerConnections.MOST_LANES + " are possible: queuePairs=" + queuePairs);
        }
        if (depth < SMALLEST_DEPTH) {
            throw new IllegalArgumentException("at least " + SMALLEST_DEPTH + " is needed: depth=" + depth);
        }
        if (!addresses.isEmpty() && !rdmaAddress.equals(RdmaAddress.FIRST)) {
            throw new IllegalArgumentException(
                    "the list of addresses says where each rank listens: place=" + rdmaAddress);
        }
        addresses = List.copyOf(addresses);
        secrets = Keys.refuseTooMany(secrets);
    }

    /** Creates the fabric without a secret. */
    public Rdma(FabricType segments, RdmaAddress rdmaAddress, int queuePairs, int depth,
            @Nullable ReadGuarantees readGuarantees,
            List<InetSocketAddress> addresses) {
        this(segments, rdmaAddress, queuePairs, depth, readGuarantees, addresses, List.of());
    }

    /**
     * Creates the fabric on the first device, with {@value #QUEUE_PAIRS} queue pairs and Atoll's own knowledge of the
     * device.
     */
    public Rdma(FabricType segments) {
        this(segments, RdmaAddress.FIRST, QUEUE_PAIRS, DEPTH, null, List.of());
    }

    /** Returns the same fabric, but each rank listens where the list says; see {@link #address}. */
    public Rdma at(List<InetSocketAddress> everyRank) {
        return new Rdma(segments, rdmaAddress, queuePairs, depth, readGuarantees, everyRank, secrets);
    }

    /**
     * Returns the same fabric, but only ranks that know a secret are let in.
     *
     * @param known the present secret first, then those that it replaces, at most {@value Keys#MOST}
     */
    public Rdma secrets(List<Secret> known) {
        return new Rdma(segments, rdmaAddress, queuePairs, depth, readGuarantees, addresses, known);
    }

    /**
     * Returns the address that {@code host:port} names, with IPv6 in brackets.
     *
     * @throws IllegalArgumentException if the text is no such address
     */
    public static InetSocketAddress address(String hostAndPort) {
        return Addresses.parse(hostAndPort);
    }

    @Override
    public String name() {
        return "rdma";
    }

    @Override
    public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
        if (world.size() == 1) {
            return segments.attach(world, rank, segmentBytes);
        }
        Addresses.refuseUnlessListed(addresses, world, rank);
        Addresses.refuseUnlessPortsSuffice(rdmaAddress.port(), world, Reason.FABRIC_UNAVAILABLE);
        return RdmaAttachment.open(this, world, segments.attach(world, rank, segmentBytes));
    }

    Device listen(int rank) throws IOException {
        if (addresses.isEmpty()) {
            return Device.listen(rdmaAddress, rank);
        }
        InetSocketAddress own = addresses.get(rank);
        return Device.listen(new InetSocketAddress(own.getHostString(), own.getPort()));
    }
}
