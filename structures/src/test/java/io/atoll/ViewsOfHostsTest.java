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

/** Five hosts that know of each other by a list of addresses alone: views decide who is dead. Needs root. */
@Tag("processes")
@Timeout(900)
class ViewsOfHostsTest {

    private static final int RANKS = 5;
    private static final int PORT = 7420;
    private static final Duration SOON = Duration.ofSeconds(180);
    private static final Duration LONGER_THAN_A_DECISION = Duration.ofSeconds(15);

    private final List<ChildProcess> ranks = new ArrayList<>();
    private SimulatedNetwork network; // null where there is none
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
        awaitMembers(List.of(0, 1, 2, 3, 4), List.of(0, 1, 2, 3, 4));
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

    private void cut(List<Integer> side) {
        for (int from = 0; from < RANKS; from++) {
            for (int to = 0; to < RANKS; to++) {
                if (side.contains(from) != side.contains(to)) {
                    network.cut(from, to);
                }
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

        awaitMembers(List.of(0, 1, 2, 3, 4), List.of(0, 1, 2, 3, 4));
        awaitStanding(List.of(1, 2, 3, 4), 0, "JOINED");
    }

    @Test
    void theSideWithThreeGoesOnAndWhoWasCutOffStopsWhenItHeals() {
        List<Integer> few = List.of(0, 3);
        List<Integer> many = List.of(1, 2, 4);
        cut(few);
        awaitMembers(many, many);
        for (int lost : few) {
            awaitStanding(many, lost, "LOST");
        }
        for (int rank : few) {
            assertThat(ranks.get(rank).ask("members")).isEqualTo("[0, 1, 2, 3, 4]");
            assertThat(ranks.get(rank).ask("standing 1")).isEqualTo("JOINED");
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(ranks.get(rank).ask("waiting"))
                            .startsWith("no rank is declared dead: waits for 3 of the electors [0, 1, 2, 3, 4]"));
        }

        network.heal();

        for (int rank : few) {
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(ranks.get(rank).ask("refusal")).isEqualTo("RANK_LOST"));
        }
        awaitMembers(many, many);
    }

    @Test
    void aRankThatWasStoppedForLongTakesPartNoMore() throws Exception {
        ranks.get(4).pause();
        awaitMembers(List.of(0, 1, 2, 3), List.of(0, 1, 2, 3));
        awaitStanding(List.of(0, 1, 2, 3), 4, "LOST");
        ranks.get(4).resume();
        await().atMost(SOON).untilAsserted(() -> assertThat(ranks.get(4).ask("refusal")).isEqualTo("RANK_LOST"));
    }

    @Test
    void aNetworkThatFlapsRemovesNobody() throws Exception {
        for (int time = 0; time < 10; time++) {
            cut(List.of(0, 1));
            Thread.sleep(300);
            network.heal();
            Thread.sleep(700);
        }
        Thread.sleep(LONGER_THAN_A_DECISION.toMillis());
        awaitMembers(List.of(0, 1, 2, 3, 4), List.of(0, 1, 2, 3, 4));
        for (ChildProcess rank : ranks) {
            assertThat(rank.ask("refusal")).isEqualTo("none");
        }
    }
}
