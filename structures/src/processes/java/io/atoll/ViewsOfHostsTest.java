package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Five hosts know of each other by a list of addresses only. Views decide which of them are dead. Needs root. */
@Tag("processes")
@Timeout(900)
class ViewsOfHostsTest {

    private static final int RANKS = 5;
    private static final List<Integer> ALL = List.of(0, 1, 2, 3, 4);
    private static final int PORT = 7420;
    // Each rank has some of them.
    private static final int KEYS = 30;
    private static final Duration SOON = Duration.ofSeconds(180);
    private static final Duration LONGER_THAN_A_DECISION = Duration.ofSeconds(15);

    private final List<ChildProcess> ranks = new ArrayList<>();
    // Null if there is none.
    private SimulatedNetwork network;
    private Path hosts;
    private String addresses;

    @BeforeEach
    void openWorld(@TempDir Path folder) throws Exception {
        Optional<String> lack = SimulatedNetwork.lack();
        assumeTrue(lack.isEmpty(), () -> lack.orElse(""));
        network = new SimulatedNetwork(Files.createDirectories(folder.resolve("network")), RANKS);
        hosts = folder;
        addresses = IntStream.range(0, RANKS)
                .mapToObj(rank -> network.address(rank) + ":" + PORT)
                .collect(Collectors.joining(","));
        List<CompletableFuture<String>> joined = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            ranks.add(start(rank));
            joined.add(open(rank));
        }
        joined.forEach(reply -> assertThat(reply).succeedsWithin(SOON).isEqualTo("incarnation=1"));
        awaitMembers(ALL, ALL);
    }

    @AfterEach
    void end() throws Exception {
        ranks.forEach(ChildProcess::kill);
        if (network != null) {
            network.close();
        }
    }

    private ChildProcess start(int rank) {
        return ChildProcess.start(network.within(rank), WorldProgram.class);
    }

    private CompletableFuture<String> open(int rank) throws Exception {
        Path host = Files.createDirectories(hosts.resolve("rank-" + rank));
        return ranks.get(rank)
                .tell("open folder=%s retain=true name=viewed size=%d rank=%d addresses=%s"
                        .formatted(host, RANKS, rank, addresses));
    }

    private void awaitMembers(List<Integer> asked, List<Integer> members) {
        for (int rank : asked) {
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(ranks.get(rank).ask("members")).isEqualTo("" + members));
        }
    }

    private void awaitStanding(List<Integer> asked, int rank, String standing) {
        for (int each : asked) {
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(ranks.get(each).ask("standing " + rank)).isEqualTo(standing));
        }
    }

    /** Cuts the network, so that no rank reaches a rank of another part. */
    private void cut(List<List<Integer>> parts) {
        for (List<Integer> part : parts) {
            for (int from : part) {
                ALL.stream().filter(to -> !part.contains(to)).forEach(to -> network.cut(from, to));
            }
        }
    }

    @Test
    void aKilledRankIsDeadAndComesBackInItsNextLife() throws Exception {
        ranks.get(0).kill();
        awaitMembers(List.of(1, 2, 3, 4), List.of(1, 2, 3, 4));
        awaitStanding(List.of(1, 2, 3, 4), 0, "LOST");

        ranks.set(0, start(0));
        assertThat(open(0)).succeedsWithin(SOON).isEqualTo("incarnation=2");

        awaitMembers(ALL, ALL);
        awaitStanding(List.of(1, 2, 3, 4), 0, "JOINED");
    }

    private void openMaps() {
        List<CompletableFuture<String>> opened = ranks.stream().map(rank -> rank.tell("map hits 1000")).toList();
        opened.forEach(reply -> assertThat(reply).succeedsWithin(SOON).isEqualTo("hits"));
        for (int key = 0; key < KEYS; key++) {
            assertThat(ranks.get(key % RANKS).ask("put " + key + " " + 7 * key)).isEqualTo("true");
        }
    }

    /** Checks by the maps that were opened before. */
    private void assertAllIsFoundAgain() {
        for (ChildProcess rank : ranks) {
            for (int key = 0; key < KEYS; key++) {
                String find = "find " + key;
                String value = "" + 7 * key;
                await().atMost(SOON)
                        .ignoreExceptionsInstanceOf(ChildProcess.Failure.class)
                        .untilAsserted(() -> assertThat(rank.ask(find)).isEqualTo(value));
            }
            assertThat(rank.ask("refusal")).isEqualTo("none");
        }
    }

    private void awaitNewcomer(int rank, int incarnation) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(ranks.get(rank).ask("rejoining") + ranks.get(rank).ask("incarnation"))
                        .isEqualTo("false" + incarnation));
    }

    @Test
    void aHostThatIsSilentIsRemovedByTheOthersAndTheTimeIsPrinted() {
        long diedNanos = System.nanoTime();
        cut(List.of(List.of(3), List.of(0, 1, 2, 4)));
        List<CompletableFuture<String>> told = new ArrayList<>();
        for (int rank : List.of(0, 1, 2, 4)) {
            told.add(ranks.get(rank).tell("awaitLost 3"));
        }
        told.forEach(reply -> assertThat(reply).succeedsWithin(SOON).isEqualTo("LOST"));
        System.out.printf("a silent host is removed: seconds=%.1f%n", (System.nanoTime() - diedNanos) / 1e9);
    }

    private static final List<List<List<Integer>>> SHAPES = List.of( //
            List.of(List.of(0, 3), List.of(1, 2, 4)), //
            List.of(List.of(0), List.of(1), List.of(2, 3, 4)), //
            List.of(List.of(0, 1), List.of(2, 3), List.of(4)), //
            List.of(List.of(0), List.of(1, 2, 3, 4)), //
            List.of(List.of(4), List.of(0, 1, 2, 3)), //
            List.of(List.of(0, 1), List.of(2), List.of(3), List.of(4)), //
            List.of(List.of(0), List.of(1), List.of(2), List.of(3), List.of(4)));

    /** The number of shapes in each run. The nightly run tries all of them. */
    private static final int SHAPES_AT_ONCE = 3;

    @Test
    void thePartWithThreeGoesOnAndTheOthersJoinAgainWhenTheNetworkIsWhole() {
        openMaps();
        SHAPES.subList(0, SHAPES_AT_ONCE).forEach(this::partAndHeal);
    }

    @Test
    @Tag("nightly")
    void inEachShapeOfAPartitionAtMostOnePartDecidesAndAllJoinAgain() {
        openMaps();
        SHAPES.forEach(this::partAndHeal);
    }

    private void partAndHeal(List<List<Integer>> parts) {
        List<Integer> before = ranks.stream().map(rank -> Integer.valueOf(rank.ask("incarnation"))).toList();
        cut(parts);
        List<Integer> many = parts.stream().filter(part -> part.size() > RANKS / 2).findFirst().orElse(List.of());
        List<Integer> few = ALL.stream().filter(rank -> !many.contains(rank)).toList();
        awaitMembers(many, many);
        few.forEach(lost -> awaitStanding(many, lost, "LOST"));
        for (int rank : few) {
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(ranks.get(rank).ask("waiting"))
                            .startsWith(
                                    "no rank is declared dead or added: waits for 3 of the electors [0, 1, 2, 3, 4]"));
            assertThat(ranks.get(rank).ask("members")).isEqualTo("" + ALL);
        }

        network.heal();

        if (!many.isEmpty()) {
            few.forEach(rank -> awaitNewcomer(rank, 1 + before.get(rank)));
        }
        awaitMembers(ALL, ALL);
        for (int rank : ALL) {
            awaitStanding(ALL, rank, "JOINED");
            assertThat(ranks.get(rank).ask("refusal")).isEqualTo("none");
        }
        assertAllIsFoundAgain();
    }

    @Test
    void aRankThatWasStoppedForLongJoinsAgain() throws Exception {
        openMaps();
        ranks.get(4).pause();
        awaitMembers(List.of(0, 1, 2, 3), List.of(0, 1, 2, 3));
        awaitStanding(List.of(0, 1, 2, 3), 4, "LOST");
        Thread.sleep(LONGER_THAN_A_DECISION.toMillis());
        ranks.get(4).resume();
        awaitNewcomer(4, 2);
        awaitMembers(ALL, ALL);
        awaitStanding(List.of(0, 1, 2, 3), 4, "JOINED");
        assertAllIsFoundAgain();
    }

    @Test
    void aNetworkThatFlapsRemovesNobody() throws Exception {
        for (int time = 0; time < 10; time++) {
            cut(List.of(List.of(0, 1), List.of(2, 3, 4)));
            Thread.sleep(300);
            network.heal();
            Thread.sleep(700);
        }
        Thread.sleep(LONGER_THAN_A_DECISION.toMillis());
        awaitMembers(ALL, ALL);
        for (ChildProcess rank : ranks) {
            assertThat(rank.ask("refusal")).isEqualTo("none");
        }
    }
}
