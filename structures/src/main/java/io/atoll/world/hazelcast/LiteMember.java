package io.atoll.world.hazelcast;

import com.hazelcast.cluster.Cluster;
import com.hazelcast.cluster.Member;
import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import com.hazelcast.config.Config;
import com.hazelcast.config.ListenerConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.logging.Logger;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.stream.Collectors;

/** A member of a Hazelcast cluster, from its start to its end. */
final class LiteMember implements AutoCloseable {

    static {
        // Hazelcast's loggers that belong to no instance would write to java.util.logging.
        Logger.newLoggerFactory("slf4j");
    }

    private final Claim self;
    private final HazelcastInstance instance;
    private final Cluster cluster;

    private LiteMember(Claim self, HazelcastInstance instance) {
        this.self = self;
        this.instance = instance;
        this.cluster = instance.getCluster();
    }

    /**
     * Returns when the cluster knows the member.
     *
     * @throws JoinRefusedException when Hazelcast cannot start
     */
    static LiteMember start(Seeds seeds, Claim self, Runnable onChange) {
        Config config = MemberConfig.of(seeds, self).addListenerConfig(new ListenerConfig(new Listener(onChange)));
        try {
            return new LiteMember(self, Hazelcast.newHazelcastInstance(config));
        } catch (RuntimeException failure) {
            throw new JoinRefusedException(Reason.MEMBERSHIP_UNAVAILABLE,
                    "Hazelcast does not start, see its log: bindAddress=" + seeds.settings().bindAddress() + " port="
                            + seeds.settings().port() + " ports=" + seeds.portCount(),
                    failure);
        }
    }

    /** As it is now; only this process once the member has ended. */
    Roster roster() {
        return new Roster(self, cluster.getMembers()
                .stream()
                .map(member -> new Roster.Entry(Claim.read(member.getAttributes()).orElse(null),
                        member.getAddress().getHost() + ":" + member.getAddress().getPort()))
                .toList());
    }

    Set<InetSocketAddress> addresses() {
        return cluster.getMembers().stream().map(Member::getSocketAddress).collect(Collectors.toSet());
    }

    boolean isRunning() {
        return instance.getLifecycleService().isRunning();
    }

    @Override
    public void close() {
        // Holds no data that would have to be moved, so that this takes milliseconds.
        instance.shutdown();
    }

    private record Listener(Runnable onChange) implements MembershipListener {

        @Override
        public void memberAdded(MembershipEvent event) {
            onChange.run();
        }

        @Override
        public void memberRemoved(MembershipEvent event) {
            onChange.run();
        }
    }
}
