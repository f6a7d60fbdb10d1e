package io.atoll.world.hazelcast;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import com.hazelcast.cluster.ClusterState;
import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.config.SocketInterceptorConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IExecutorService;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializable;
import java.io.IOException;
import java.io.Serializable;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What an intruder that reaches the port of a member can do. The members are processes, and this process is the
 * intruder.
 */
@Tag("processes")
class HazelcastIntruderTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String BOTH = "[0, 1]";
    private static final String RAN = "the intruder's task ran";

    private final int port = FreePorts.range(20);
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<MembershipProcess> members = new ArrayList<>();

    static final class SerializableTask implements Callable<Integer>, Serializable {

        private static final long serialVersionUID = 1L;

        @Override
        public Integer call() {
            IO.println(RAN);
            return 7;
        }
    }

    /** It is named by its class, and made by its constructor, without Java's serialization. */
    static final class NamedTask implements Callable<Integer>, DataSerializable {

        NamedTask() {
            IO.println(RAN);
        }

        @Override
        public Integer call() {
            return 7;
        }

        @Override
        public void writeData(ObjectDataOutput out) {}

        @Override
        public void readData(ObjectDataInput in) {}
    }

    @BeforeEach
    void start() {
        for (int rank = 0; rank < 2; rank++) {
            MembershipProcess member = MembershipProcess.startPatient(port, 2, rank);
            opened.add(member);
            members.add(member);
            await().atMost(SOON).until(() -> !member.views().isEmpty());
        }
        members.forEach(member -> await().atMost(SOON)
                .untilAsserted(() -> assertThat(member.views()).last().isEqualTo(BOTH)));
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
    }

    private HazelcastInstance opened(HazelcastInstance instance) {
        opened.add(() -> instance.getLifecycleService().terminate());
        return instance;
    }

    /**
     * Returns the configuration of an intruder that has read which cluster this is, and how many partitions it has.
     */
    private Config intruding() {
        Config config = new Config("intruder").setClusterName("atoll")
                .setProperty("hazelcast.partition.count", "1")
                .setProperty("hazelcast.logging.type", "slf4j")
                .setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.shutdownhook.enabled", "false")
                .setProperty("hazelcast.max.join.seconds", "10");
        config.getJetConfig().setEnabled(false);
        config.getNetworkConfig().setPort(port + 10);
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getTcpIpConfig().setEnabled(true).addMember("127.0.0.1:" + port);
        return config;
    }

    /** Starts a member that knows the handshake of members, and the secret. */
    private HazelcastInstance insider() {
        Config config = intruding();
        config.getNetworkConfig().setSocketInterceptorConfig(new SocketInterceptorConfig().setEnabled(true));
        GuardedNode node = new GuardedNode(new Handshake(Secret.NONE));
        HazelcastInstance insider = opened(HazelcastInstanceFactory.newHazelcastInstance(config, "insider", node));
        assertThat(insider.getCluster().getMembers()).as("whom the insider has met").hasSize(3);
        return insider;
    }

    private void assertMembersGoOn(List<Integer> viewsBefore) {
        for (int index = 0; index < members.size(); index++) {
            MembershipProcess member = members.get(index);
            assertThat(member.lines()).doesNotContain(RAN);
            assertThat(member.views()).as("%s", member.lines()).hasSize(viewsBefore.get(index)).last().isEqualTo(BOTH);
        }
    }

    /** Returns the members that a stock member meets, itself included; none if it gives up. */
    private Set<Member> met() {
        try {
            return opened(Hazelcast.newHazelcastInstance(intruding())).getCluster().getMembers();
        } catch (IllegalStateException notStarted) {
            assertThat(notStarted).hasMessage("Node failed to start!");
            return Set.of();
        }
    }

    @Test
    void aStockHazelcastMemberCannotJoin() {
        List<Integer> before = views();
        assertThat(met()).as("whom the stranger has met").hasSizeLessThan(2);
        assertMembersGoOn(before);
        members.forEach(member -> assertThat(member.lines()).noneMatch(line -> line.contains("Exception")));
    }

    private List<Integer> views() {
        return members.stream().map(member -> member.views().size()).toList();
    }

    private static void assertRefused(Future<?> task) {
        assertThatException().isThrownBy(() -> task.get(20, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .withStackTraceContaining("HazelcastSerializationException");
    }

    @Test
    void anInsidersTaskIsNotReadWhicheverWayItIsSerialized() {
        List<Integer> before = views();
        HazelcastInstance insider = insider();
        IExecutorService executor = insider.getExecutorService("tasks");
        for (Member member : insider.getCluster().getMembers()) {
            if (!member.localMember()) {
                assertRefused(executor.submitToMember(new SerializableTask(), member));
                assertRefused(executor.submitToMember(new NamedTask(), member));
            }
        }
        assertMembersGoOn(before);
    }

    @Test
    void anInsiderCannotShutTheOthersDown() {
        List<Integer> before = views();
        HazelcastInstance insider = insider();
        Throwable refusal = catchThrowable(() -> insider.getCluster().changeClusterState(ClusterState.PASSIVE));
        assertThat(refusal).isNotNull();
        catchThrowable(() -> insider.getCluster().shutdown());
        assertMembersGoOn(before);
    }

    @Test
    void whoOnlyLooksWhetherThePortIsOpenOrSpeaksNonsenseIsTurnedAway() throws IOException {
        List<Integer> before = views();
        for (String said : List.of("", "HZC", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "atoll member 1\n")) {
            try (Socket socket = new Socket("127.0.0.1", port)) {
                socket.setSoTimeout(20_000);
                socket.getOutputStream().write(said.getBytes(US_ASCII));
                assertThat(socket.getInputStream().readAllBytes()).as("answer to '%s'", said).isEmpty();
            }
        }
        assertMembersGoOn(before);
        members.forEach(member -> assertThat(member.lines()).noneMatch(line -> line.contains("Exception")));
    }
}
