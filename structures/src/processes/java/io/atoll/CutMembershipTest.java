package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.atoll.process.ChildProcess;
import io.atoll.process.SimulatedNetwork;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three hosts whose ranks reach each other by TCP, and whose members find each other by Hazelcast. Only one of the two
 * is cut: the path of the data, or that of the membership. Needs root.
 */
@Tag("processes")
@Timeout(900)
class CutMembershipTest {

    private static final int RANKS = 3;
    private static final int CUT_OFF = 2;
    // The first of several ports.
    private static final int DATA_PORT = 7420;
    // The first of several ports.
    private static final int MEMBERS_PORT = 5701;
    private static final int PORTS = 10;
    // Each rank has some of them.
    private static final int KEYS = 30;
    private static final Duration SOON = Duration.ofSeconds(180);
    private static final Duration LONGER_THAN_A_HEARTBEAT = WorldProgram.HEARTBEAT_TIMEOUT.multipliedBy(2);

    private final List<ChildProcess> ranks = new ArrayList<>();
    // Null if there is none.
    private SimulatedNetwork network;

    @BeforeEach
    void openWorld(@TempDir Path folder) throws Exception {
        Optional<String> lack = SimulatedNetwork.lack();
        assumeTrue(lack.isEmpty(), () -> lack.orElse(""));
        network = new SimulatedNetwork(Files.createDirectories(folder.resolve("network")), RANKS);
        String members = String.join(",", IntStream.range(0, RANKS).mapToObj(network::address).toList());
        List<CompletableFuture<String>> joined = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            ChildProcess process = ChildProcess.start(network.within(rank), WorldProgram.class);
            ranks.add(process);
            Path host = Files.createDirectories(folder.resolve("rank-" + rank));
            joined.add(process.tell("open folder=%s name=cut size=%d rank=%d port=%d bind=%s tcp=%d members=%s"
                    .formatted(host, RANKS, rank, MEMBERS_PORT, network.address(rank), DATA_PORT, members)));
        }
        joined.forEach(reply -> assertThat(reply).succeedsWithin(SOON).isEqualTo("incarnation=1"));
        List<CompletableFuture<String>> opened = ranks.stream().map(rank -> rank.tell("map hits 1000")).toList();
        opened.forEach(reply -> assertThat(reply).succeedsWithin(SOON).isEqualTo("hits"));
        for (int key = 0; key < KEYS; key++) {
            assertThat(ranks.get(key % RANKS).ask("put " + key + " " + 7 * key)).isEqualTo("true");
        }
    }

    @AfterEach
    void end() throws Exception {
        ranks.forEach(ChildProcess::kill);
        if (network != null) {
            network.close();
        }
    }

    /** Cuts both directions between one host and the others. */
    private void cutOff(int firstPort) {
        for (int other = 0; other < RANKS; other++) {
            if (other != CUT_OFF) {
                network.cut(CUT_OFF, other, firstPort, firstPort + PORTS - 1);
                network.cut(other, CUT_OFF, firstPort, firstPort + PORTS - 1);
            }
        }
    }

    private static void findAll(ChildProcess rank) {
        for (int key = 0; key < KEYS; key++) {
            assertThat(rank.ask("find " + key)).isEqualTo("" + 7 * key);
        }
    }

    private static void assertCannotFindAll(ChildProcess rank) {
        assertThatExceptionOfType(ChildProcess.Failure.class).isThrownBy(() -> findAll(rank))
                .withMessageStartingWith("RankUnreachableException");
    }

    /** A rank that cannot be reached, but is still heard, is not declared dead. */
    @Test
    void whereOnlyTheDataIsCutOffNobodyIsDeclaredDeadAndAllWorksWhenItIsBack() {
        cutOff(DATA_PORT);
        long beganNanos = System.nanoTime();
        while (System.nanoTime() - beganNanos < LONGER_THAN_A_HEARTBEAT.toNanos()) {
            ranks.forEach(CutMembershipTest::assertCannotFindAll);
            for (ChildProcess rank : ranks) {
                for (int other = 0; other < RANKS; other++) {
                    assertThat(rank.ask("standing " + other)).isEqualTo("JOINED");
                }
            }
        }
        network.heal();
        for (ChildProcess rank : ranks) {
            await().atMost(SOON)
                    .ignoreExceptionsInstanceOf(ChildProcess.Failure.class)
                    .untilAsserted(() -> findAll(rank));
            assertThat(rank.ask("refusal")).isEqualTo("none");
        }
    }

    /** Hazelcast's members lose each other. Their messages only raise suspicion. */
    @Test
    void whereOnlyTheMembershipIsCutOffAllGoOnByWhatAnswers() {
        cutOff(MEMBERS_PORT);
        long beganNanos = System.nanoTime();
        while (System.nanoTime() - beganNanos < LONGER_THAN_A_HEARTBEAT.multipliedBy(2).toNanos()) {
            ranks.forEach(this::assertGoesOn);
        }
        network.heal();
        await().during(LONGER_THAN_A_HEARTBEAT).atMost(SOON).untilAsserted(() -> ranks.forEach(this::assertGoesOn));
    }

    private void assertGoesOn(ChildProcess rank) {
        findAll(rank);
        for (int other = 0; other < RANKS; other++) {
            assertThat(rank.ask("standing " + other)).isEqualTo("JOINED");
        }
        assertThat(rank.ask("members")).isEqualTo("[0, 1, 2]");
        assertThat(rank.ask("incarnation") + rank.ask("refusal") + rank.ask("waiting")).isEqualTo("1nonenothing");
    }
}
