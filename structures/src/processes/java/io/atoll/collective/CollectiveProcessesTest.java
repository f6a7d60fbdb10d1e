package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes work together, and one of them is killed in the middle. The others are told which one, and the next
 * operation is one of all again.
 */
@Tag("processes")
@Timeout(400)
class CollectiveProcessesTest {

    private static final int RANKS = 3;
    private static final int MORTAL = 2;
    private static final int KILLS = 3;
    private static final int WITHOUT_END = Integer.MAX_VALUE;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private final List<ChildProcess> ranks = new ArrayList<>();

    @BeforeEach
    void start() {
        for (int rank = 0; rank < RANKS; rank++) {
            ranks.add(ChildProcess.start(CollectiveProcess.class));
        }
        for (int rank = 0; rank < RANKS; rank++) {
            join(rank);
        }
    }

    private String join(int rank) {
        return ranks.get(rank).ask("join " + folder + " " + RANKS + " " + rank);
    }

    @AfterEach
    void end() {
        ranks.forEach(ChildProcess::close);
    }

    private void killInTheMiddle() {
        await().atMost(PATIENCE).until(() -> ranks.get(MORTAL).remarks().contains(CollectiveProcess.BEGUN));
        ranks.get(MORTAL).kill();
    }

    private void startAgain() {
        ranks.set(MORTAL, ChildProcess.start(CollectiveProcess.class));
        String incarnation = join(MORTAL);
        ranks.forEach(rank -> rank.ask("meet " + MORTAL + " " + incarnation));
    }

    private static List<String> replies(List<CompletableFuture<String>> asked) {
        return asked.stream().map(CompletableFuture::join).toList();
    }

    private List<CompletableFuture<String>> exchange(int rounds) {
        return ranks.stream().map(rank -> rank.tell("exchange " + rounds)).toList();
    }

    @Test
    void aKilledRankIsNamedByTheExchangeThatItWasInAndTheNextIsOneOfAll() {
        for (int kill = 0; kill < KILLS; kill++) {
            List<CompletableFuture<String>> exchanging = exchange(WITHOUT_END);
            killInTheMiddle();
            assertThat(replies(exchanging.subList(0, MORTAL))).containsOnly("lost=" + MORTAL);
            startAgain();
            assertThat(replies(exchange(100))).containsOnly("rounds=100");
        }
    }

    @Test
    void aKilledRankIsNamedByTheBroadcastThatItWasInAndTheNextReachesAll() {
        for (int kill = 0; kill < KILLS; kill++) {
            List<CompletableFuture<String>> broadcasting = IntStream.range(0, RANKS)
                    .mapToObj(rank -> ranks.get(rank).tell(rank == 0 ? "send " + WITHOUT_END : "receive 0"))
                    .toList();
            killInTheMiddle();
            assertThat(replies(broadcasting.subList(0, MORTAL))).containsOnly("lost=" + MORTAL);
            startAgain();
            List<CompletableFuture<String>> next = IntStream.range(0, RANKS)
                    .mapToObj(rank -> ranks.get(rank).tell(rank == MORTAL ? "send 3" : "await " + MORTAL + " 3"))
                    .toList();
            assertThat(replies(next)).containsExactly("received=3", "received=3", "rounds=3");
        }
    }
}
