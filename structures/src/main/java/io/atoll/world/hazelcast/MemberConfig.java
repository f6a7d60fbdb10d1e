package io.atoll.world.hazelcast;

import com.hazelcast.config.Config;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.config.SocketInterceptorConfig;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;

/** Configures Hazelcast as a lite member, which can hold no data, and turns off everything that is not membership. */
final class MemberConfig {

    private static final Map<String, String> OFF = Map.of(
            "hazelcast.shutdownhook.enabled", "false", // the world leaves when it is closed
            "hazelcast.phone.home.enabled", "false",
            "hazelcast.health.monitoring.level", "OFF",
            // Between lite members a merge goes by address, not by number; RejoinPolicy takes its place.
            "hazelcast.merge.first.run.delay.seconds", "1000000000",
            "hazelcast.merge.next.run.delay.seconds", "1000000000");

    private static final Map<String, String> SMALL = Map.of(
            "hazelcast.partition.count", "1",
            "hazelcast.io.thread.count", "1",
            "hazelcast.event.thread.count", "1",
            "hazelcast.operation.thread.count", "2",
            "hazelcast.operation.generic.thread.count", "2",
            "hazelcast.operation.response.thread.count", "1",
            "hazelcast.clientengine.thread.count", "1",
            "hazelcast.clientengine.query.thread.count", "1",
            "hazelcast.clientengine.blocking.thread.count", "1");

    private static final Map<String, String> QUICK = Map.of(
            "hazelcast.wait.seconds.before.join", "0",
            "hazelcast.max.join.seconds", "60",
            "hazelcast.graceful.shutdown.max.wait", "5");

    private static final int CONNECT_TIMEOUT_SECONDS = 1;

    // Otherwise connections are reset when they are closed, and the others warn of it with stack traces.
    private static final int LINGER_AS_THE_SYSTEM_DOES = -1;

    // No class has this name. Hazelcast takes an empty list for one that allows everything.
    private static final String NO_CLASS = "none";

    private MemberConfig() {}

    static Config of(Seeds seeds, MemberClaim memberClaim) {
        HazelcastSettings settings = seeds.settings();
        String logging = QuietLog.TYPE; // read before Hazelcast makes a logger, which creating a Config does
        Config config = new Config(memberClaim.instanceName()).setClusterName(settings.clusterName())
                .setLiteMember(true)
                .setClassLoader(new HazelcastClasses(Config.class.getClassLoader()))
                .setProperty("hazelcast.logging.type", logging)
                .setProperty("hazelcast.heartbeat.interval.seconds", seconds(settings.heartbeatInterval()))
                .setProperty("hazelcast.max.no.heartbeat.seconds", seconds(settings.heartbeatTimeout()));
        OFF.forEach(config::setProperty);
        SMALL.forEach(config::setProperty);
        QUICK.forEach(config::setProperty);
        config.getJetConfig().setEnabled(false);
        config.getMetricsConfig().setEnabled(false);
        config.getIntegrityCheckerConfig().setEnabled(false);
        config.getManagementCenterConfig().setScriptingEnabled(false).setConsoleEnabled(false);
        config.getSerializationConfig().setJavaSerializationFilterConfig(nothing());
        config.getMemberAttributeConfig().setAttributes(memberClaim.attributes());
        bind(config, seeds);
        discover(config.getAdvancedNetworkConfig().getJoin(), seeds);
        return config;
    }

    /** Members use only Hazelcast's own serialization. Java's would let a sender name any class. */
    private static JavaSerializationFilterConfig nothing() {
        JavaSerializationFilterConfig filter = new JavaSerializationFilterConfig().setDefaultsDisabled(true);
        filter.getWhitelist().addClasses(NO_CLASS);
        return filter;
    }

    private static String seconds(Duration duration) {
        return Long.toString(duration.toSeconds());
    }

    /**
     * Opens a socket for members alone: nothing else is served there. The socket that also serves clients has a further
     * problem. An address may accept connections and not answer, as that of a paused process. That keeps a thread of
     * the socket busy, and other connections waiting.
     */
    private static void bind(Config config, Seeds seeds) {
        HazelcastSettings settings = seeds.settings();
        ServerSocketEndpointConfig endpoint = new ServerSocketEndpointConfig().setPort(settings.port())
                .setPortCount(seeds.portCount())
                .setPortAutoIncrement(true);
        endpoint.setSocketLingerSeconds(LINGER_AS_THE_SYSTEM_DOES);
        endpoint.setSocketInterceptorConfig(new SocketInterceptorConfig().setEnabled(true));
        config.getAdvancedNetworkConfig().setEnabled(true).setMemberEndpointConfig(endpoint);
        config.setProperty("hazelcast.socket.bind.any", Boolean.toString(settings.listensEverywhere()));
        if (!settings.listensEverywhere()) {
            config.setProperty("hazelcast.local.localAddress", settings.bindAddress());
        }
    }

    private static void discover(JoinConfig join, Seeds seeds) {
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        if (seeds.settings().discovery() instanceof Discovery.Multicast(String group, int port)) {
            join.getMulticastConfig().setEnabled(true).setMulticastGroup(group).setMulticastPort(port);
            return;
        }
        join.getTcpIpConfig().setEnabled(true).setConnectionTimeoutSeconds(CONNECT_TIMEOUT_SECONDS);
        for (InetSocketAddress seed : seeds.addresses()) {
            String host = seed.getAddress().getHostAddress();
            boolean ipv6 = seed.getAddress() instanceof Inet6Address;
            join.getTcpIpConfig().addMember((ipv6 ? "[" + host + "]" : host) + ":" + seed.getPort());
        }
    }
}
