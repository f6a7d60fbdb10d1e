package io.atoll.fabric.link;

import io.atoll.fabric.Fabric;

/** A fabric that reaches ranks by peer connections. */
public interface LinkedFabric extends Fabric {

    PeerConnections<?> peerConnections();

    /**
     * Returns a fabric that reaches the same segments, except that of the given rank, whose segment was lost. The new
     * fabric reaches that rank's present segment once its {@link #peerConnections} are opened. This fabric and its
     * predecessors never reach it: they fail with a {@link io.atoll.failure.SegmentLostException}. All these fabrics
     * share the transport's resources. Closing any one of them closes the resources.
     *
     * @param host the fabric of this host, renewed in the same way
     * @param born the incarnation in which the present segment was made
     */
    LinkedFabric renewed(Fabric host, int rank, int born);
}
