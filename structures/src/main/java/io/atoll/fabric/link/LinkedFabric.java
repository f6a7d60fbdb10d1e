package io.atoll.fabric.link;

import io.atoll.fabric.Fabric;

/** A fabric that reaches ranks by links. */
public interface LinkedFabric extends Fabric {

    Links<?> links();

    /**
     * Returns a fabric that reaches the same segments but the rank's, which was lost, and another one in its place once
     * its {@link #links} are opened. This one and those before it never reach that one: they fail with a
     * {@link io.atoll.failure.SegmentLostException}. They use what all have of the transport, which is closed with any.
     *
     * @param host the fabric of this host, which knows the same
     * @param born the incarnation in which the other segment was made
     */
    LinkedFabric renewed(Fabric host, int rank, int born);
}
