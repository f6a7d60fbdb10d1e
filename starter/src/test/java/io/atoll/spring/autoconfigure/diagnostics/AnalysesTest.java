package io.atoll.spring.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.link.Refusal;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.LayoutMismatchException.Mismatch;
import io.atoll.failure.MissingRanksException;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.StructureName;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.io.support.SpringFactoriesLoader;

/**
 * Tests every word that a user reads when the start is refused. The words come from the analyzers as Spring Boot finds
 * them.
 */
class AnalysesTest {

    private static FailureAnalysis analysis(Throwable failure) {
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, (type, name, problem) -> {
                    // Analyzers of Spring Boot that want a bean factory have nothing to say here.
                })
                .stream()
                .filter(analyzer -> analyzer.getClass().getPackageName().startsWith("io.atoll."))
                .map(analyzer -> analyzer.analyze(new IllegalStateException("the context was not refreshed", failure)))
                .filter(analysis -> analysis != null)
                .findFirst()
                .orElseThrow();
    }

    private static void assertReads(Throwable failure, String description, String action) {
        FailureAnalysis analysis = analysis(failure);
        assertThat(analysis.getDescription()).isEqualTo(description);
        assertThat(analysis.getAction()).isEqualTo(action);
        assertThat(analysis.getCause()).isSameAs(failure);
    }

    @ParameterizedTest
    @EnumSource
    void aRefusalToJoinSaysWhatToDoAboutItsReason(Reason reason) {
        assertReads(new JoinRefusedException(reason, "this is why: rank=1"),
                "This process cannot join the world: this is why: rank=1", action(reason));
    }

    private static String action(Reason reason) {
        return switch (reason) {
            case RANK_TAKEN ->
                "Give each process its own atoll.world.rank: without one it takes the first that is free on its "
                        + "host, which a process of another host may have. If more processes are to take part, raise "
                        + "atoll.world.size at all of them. Worlds that have "
                        + "nothing to do with each other need different names: atoll.world.name.";
            case RANK_UNKNOWN ->
                "Set atoll.world.rank at each process, to another number from 0 on, such as by "
                        + "atoll.world.rank: ${RANK}. The pods of a StatefulSet, and processes that Slurm or MPI "
                        + "started, "
                        + "know theirs.";
            case INCARNATIONS_SPENT -> "Stop all processes of the world, remove its files from"
                    + " atoll.fabric.shared-memory.folder, and start them again: what was in memory is lost.";
            case RANK_LOST -> "Start the process again, and leave its files alone while it runs.";
            case REMOVED ->
                "Look at the network between the hosts, and at what stops this process for seconds. It joins again"
                        + " by itself, unless atoll.world.rejoin is false: then start it again.";
            case OTHER_WORLD ->
                "Set atoll.world.name to the name of the world that was found, or let this process look for its "
                        + "own world elsewhere.";
            case OTHER_SIZE -> "Set atoll.world.size to the same number at all processes of the world.";
            case OTHER_LAYOUT_VERSION ->
                "Run the same version of Atoll at all processes of the world; stop them all before one starts in "
                        + "another version.";
            case OTHER_SECRET ->
                "Set atoll.membership.hazelcast.secret to the same text at all processes of the world, or let this "
                        + "process look for its own world elsewhere.";
            case OTHER_USER ->
                "Run all processes of the world as the same user, or give this one another atoll.world.name or "
                        + "atoll.fabric.shared-memory.folder.";
            case NO_SPACE ->
                "Make atoll.segment.size smaller, or the memory larger: that of /dev/shm is set by 'mount -o "
                        + "remount,size=...', that of a container by --shm-size, that of a pod by an emptyDir of "
                        + "medium "
                        + "Memory. Another folder is chosen by atoll.fabric.shared-memory.folder.";
            case LOCKED_MEMORY ->
                "Let the process lock more memory than atoll.segment.size: 'ulimit -l unlimited' where it is "
                        + "started, memlock in /etc/security/limits.conf, LimitMEMLOCK of a systemd service, --ulimit "
                        + "memlock=-1 of a container; a pod has the limit of its node's container runtime. Or make "
                        + "atoll.segment.size smaller.";
            case NO_RDMA_DEVICE ->
                "Do what the description says, and look what this machine has with 'java -jar atoll-node.jar "
                        + "rdma-check'. A device is chosen by atoll.fabric.rdma.device and gid-index, or by its "
                        + "address, "
                        + "atoll.fabric.rdma.host; another fabric by atoll.fabric.type.";
            case NO_RDMA_ATOMICS ->
                "Choose a device that has atomics by atoll.fabric.rdma.device; 'java -jar atoll-node.jar "
                        + "rdma-check' shows which have. Without one choose another fabric by atoll.fabric.type.";
            case ADDRESS_UNAVAILABLE ->
                "Set atoll.fabric.tcp.bind to an address of this machine, or to 0.0.0.0 for all of them, and "
                        + "atoll.fabric.tcp.port to a port from which on as many as the world has ranks are free, or "
                        + "to "
                        + "0 for any. With atoll.fabric.tcp.addresses, correct this rank's.";
            case UNREACHABLE ->
                "Set atoll.fabric.tcp.bind to an address by which other hosts reach this one, or to 0.0.0.0, and "
                        + "atoll.fabric.tcp.host to the name by which they do. With atoll.fabric.tcp.addresses, list "
                        + "one "
                        + "for this rank. If all processes run on this host, remove what lets "
                        + "atoll.membership.hazelcast look for others.";
            case UNSECURED -> """
                    Make a secret with 'openssl rand -base64 32', give it to all processes as an environment variable, \
                    and add this line to application.yaml:

                        atoll.fabric.tcp.secret: ${ATOLL_SECRET}

                    Or let all show certificates of an SSL bundle, and name those that are ranks:

                        atoll.fabric.tcp.ssl: {bundle: atoll, peers: "*.shop.example.com"}

                    Or, where nobody else reaches the port:

                        atoll.fabric.tcp.security: none""";
            case FABRIC_UNAVAILABLE ->
                "Choose another fabric by atoll.fabric.type, or correct its settings; those of shared memory "
                        + "stand under atoll.fabric.shared-memory, those of TCP under atoll.fabric.tcp, those of RDMA "
                        + "under atoll.fabric.rdma.";
            case MEMBERSHIP_UNAVAILABLE ->
                "Correct the settings under atoll.membership.hazelcast: an address of this machine, and ports "
                        + "that nobody else uses.";
        };
    }

    @Test
    void missingRanksAreToBeStarted() {
        assertReads(
                new MissingRanksException("shop", 3, List.of(0, 2), new TreeMap<>(Map.of(2, "another size")),
                        Duration.ofMillis(50)),
                "A structure was used while the application started, and not all ranks of the world came in time:"
                        + " ranks are missing, start them with the same name and size of the world (atoll.world.name,"
                        + " atoll.world.size), or wait longer (atoll.world.join-timeout): world=shop size=3"
                        + " missing=[0, 2]"
                        + " refused={2=another size} waitedMillis=50",
                "Start the missing ranks, with the same atoll.world.name and atoll.world.size, or raise"
                        + " atoll.world.join-timeout. An application that must start without the others uses its"
                        + " structures only later.");
    }

    @Test
    void aSegmentInTheWayIsToBeAvoidedOrRemoved() {
        var failure = new LayoutMismatchException("a segment of another size", "expected=2 found=1", 1);
        assertReads(failure, "A segment is in the way that this process cannot use: " + failure.getMessage(),
                "If the segment is that of a world which still runs, use its atoll.world.size and atoll.segment.size,"
                        + " or another atoll.world.name. " + LEFT_BEHIND);
        assertThat(failure).hasMessageContaining("a segment of another size")
                .hasMessageContaining("rank=1")
                .hasMessageContaining("expected=2 found=1");
    }

    private static final String LEFT_BEHIND = "If it was left behind, stop all processes of the world and remove its"
            + " files from atoll.fabric.shared-memory.folder (/dev/shm by default): atoll-<world>-<rank>.segment.";

    @Test
    void aSegmentOfAnotherVersionIsToBeAvoidedOrRemoved() {
        var failure = new LayoutMismatchException("a segment of another layout version", "", 1,
                Mismatch.VERSION_OF_FILE);
        assertReads(failure, "The segment of a world was made by another version of Atoll: " + failure.getMessage(),
                "If that world still runs, run its version of Atoll, or use another atoll.world.name. "
                        + LEFT_BEHIND);
    }

    /** No file is in the way. To remove those of the world would lose its data. */
    @Test
    void aProcessOfAnotherVersionIsToBeReplaced() {
        LayoutMismatchException failure = Refusal.OTHER_LAYOUT.mismatch(1);
        assertReads(failure, "Another process of the world runs another version of Atoll: " + failure.getMessage(),
                "Run the same version of Atoll in all processes of the world. To change the version, stop all of them"
                        + " first.");
    }

    @Test
    void aProcessOfAnotherWorldIsToBeToldTheSame() {
        LayoutMismatchException failure = Refusal.OTHER_WORLD.mismatch(1);
        assertReads(failure, "A process of another world answers: " + failure.getMessage(),
                "Set the same atoll.world.name, atoll.world.size and atoll.world.max-size in all processes of the"
                        + " world. If they are the same, correct the addresses: another world listens there.");
    }

    @Test
    void aStructureThatDoesNotFitNeedsALargerSegment() {
        String action = "Raise atoll.segment.size at all ranks, or lower the capacity or the expected elements of a"
                + " structure.";
        var full = new SegmentFullException(1, 256 << 20, 1000);
        assertReads(full,
                "A structure that was used while the application started does not fit into the segment of rank 1: it"
                        + " needs 256MB, 1000B are free.",
                action);
        assertReads(full.in(new StructureName("hits", "long-map")),
                "The structure hits, which was used while the application started, does not fit into the segment of"
                        + " rank 1: it needs 256MB, 1000B are free.",
                action);
        assertReads(new SegmentFullException(1, 256 << 20, 300 << 20, 200 << 20, 0),
                "A structure that was used while the application started does not fit into the segment of rank 1: it"
                        + " needs 256MB, 300MB are free, and the largest free piece has 200MB.",
                action);
    }

    @Test
    void aStructureThatIsDifferentElsewhereIsToBeTheSame() {
        assertReads(new ConfigurationMismatchException("hits", "long-map capacity=10", "long-map capacity=20"),
                "Another process of the world has a structure of this name that was made differently: a structure of"
                        + " this name exists with another configuration: structure=hits existing=[long-map capacity=10]"
                        + " asked=[long-map capacity=20]",
                "Say the same of the structure at all processes, all that stands under its name, such as"
                        + " atoll.maps.orders. To change it, stop all processes of the world first.");
    }

    @Test
    void aSettingThatIsRefusedIsNamedWithoutItsValue() {
        assertReads(new RefusedSettingException("atoll.fabric.tcp.secret", "it is shorter than 32 bytes", "Make one."),
                "The property 'atoll.fabric.tcp.secret' is refused: it is shorter than 32 bytes.", "Make one.");
    }

    @Test
    void aFabricThatThereIsNotIsAnsweredByThoseThatThereAre() {
        assertReads(new UnknownFabricException("string", "shared-memory", "rdma"),
                "There is no fabric of the type 'string'.",
                "Set atoll.fabric.type to one of: shared-memory, rdma.");
    }
}
