package io.atoll.world.hazelcast;

import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.instance.impl.DefaultNodeContext;
import com.hazelcast.instance.impl.DefaultNodeExtension;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.instance.impl.NodeExtension;
import com.hazelcast.nio.MemberSocketInterceptor;

/**
 * Makes Hazelcast ask a {@link Handshake} about every connection. The open-source edition has a place for it, but no
 * setting.
 */
final class GuardedNode extends DefaultNodeContext {

    private final Handshake handshake;

    GuardedNode(Handshake handshake) {
        this.handshake = handshake;
    }

    @Override
    public NodeExtension createNodeExtension(Node node) {
        return new DefaultNodeExtension(node) {

            @Override
            public MemberSocketInterceptor getSocketInterceptor(EndpointQualifier endpoint) {
                return handshake;
            }
        };
    }
}
