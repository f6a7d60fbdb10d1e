package io.atoll.world.hazelcast;

import com.hazelcast.cluster.Cluster;
import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.config.Config;
import com.hazelcast.config.ListenerConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** A member of a Hazelcast cluster, from its start to its end. */
final class LiteMember implements AutoCloseable {

    private final MemberClaim self;
    private final HazelcastInstance instance;
    private final Cluster cluster;
    private final Handshake handshake;

    private LiteMember(MemberClaim self, Handshake handshake, HazelcastInstance instance) {
        this.self = self;
        this.handshake = handshake;
        this.instance = instance;
        this.cluster = instance.getCluster();
    }

    /**
     * Starts a member and returns when the cluster knows it.
     *
     * @throws JoinRefusedException if Hazelcast cannot start
     */
    static LiteMember start(Seeds seeds, MemberClaim self, Runnable onChange) {
        Config config = MemberConfig.of(seeds, self).addListenerConfig(new ListenerConfig(new Listener(onChange)));
        Handshake handshake = new Handshake(seeds.settings().secret());
        try {
            return new LiteMember(self, handshake, HazelcastInstanceFactory.newHazelcastInstance(config,
                    config.getInstanceName(), new GuardedNode(handshake)));
        } catch (RuntimeException failure) {
            throw new JoinRefusedException(Reason.MEMBERSHIP_UNAVAILABLE,
                    "Hazelcast does not start, see its log: bindAddress=" + seeds.settings().bindAddress() + " port="
                            + seeds.settings().port() + " ports=" + seeds.portCount(),
                    failure);
        }
    }

    /** Returns the members as they are now; only this process once the member has ended. */
    Roster roster() {
        return new Roster(self, cluster.getMembers()
                .stream()
                .map(member -> new Roster.Entry(MemberClaim.read(member.getAttributes()).orElse(null),
                        member.getAddress().getHost() + ":" + member.getAddress().getPort()))
                .toList());
    }

    /**
     * Returns the address of a process of Atoll that knows another secret. Returns empty unless this member has met one
     * and is alone in the cluster.
     */
    Optional<InetSocketAddress> onlyOtherSecret() {
        return cluster.getMembers().size() > 1 ? Optional.empty() : handshake.otherSecretAt();
    }

    Set<InetSocketAddress> addresses() {
        return cluster.getMembers().stream().map(Member::getSocketAddress).collect(Collectors.toSet());
    }

    boolean isRunning() {
        return instance.getLifecycleService().isRunning();
    }

    @Override
    public void close() {
        // A lite member holds no data that would have to be moved, so this takes milliseconds.
        instance.shutdown();
    }

    private record Listener(Runnable onChange) implements MembershipListener {

        @Override
        public void memberAdded(MembershipEvent event) {
            tell();
        }

        @Override
        public void memberRemoved(MembershipEvent event) {
            tell();
        }

        /** Hazelcast's threads have Hazelcast's class loader as context; the listener needs the application's. */
        private void tell() {
            Thread thread = Thread.currentThread();
            ClassLoader hazelcast = thread.getContextClassLoader();
            thread.setContextClassLoader(LiteMember.class.getClassLoader());
            try {
                onChange.run();
            } finally {
                thread.setContextClassLoader(hazelcast);
            }
        }
    }
}
