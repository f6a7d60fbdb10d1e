package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.process.ChildProcess;
import io.atoll.world.hazelcast.FreePorts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two hosts. Rank 0 may declare the other one dead by itself, so it must not take its own pause for the other's
 * silence.
 */
@Tag("processes")
@Timeout(300)
class PausedHostTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration LONGER_THAN_SILENCE = Duration.ofSeconds(8);
    private static final Duration LONG_ENOUGH_FOR_A_DECISION = Duration.ofSeconds(8);

    @TempDir
    private Path folder;

    private final List<ChildProcess> ranks = new ArrayList<>();

    @AfterEach
    void end() {
        ranks.forEach(ChildProcess::close);
    }

    /** Opens the world. The ranks find each other by the options for both, and those for each. */
    private void openWorld(String both, IntFunction<String> each) throws Exception {
        List<CompletableFuture<String>> joined = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            Path host = Files.createDirectories(folder.resolve("host-" + rank));
            ranks.add(ChildProcess.start(WorldProgram.class));
            joined.add(ranks.get(rank)
                    .tell("open folder=%s name=pair size=2 rank=%d %s %s".formatted(host, rank, both,
                            each.apply(rank))));
        }
        joined.forEach(reply -> assertThat(reply).succeedsWithin(SOON).isEqualTo("incarnation=1"));
        ranks.forEach(rank -> await().atMost(SOON).until(() -> rank.ask("members").equals("[0, 1]")));
    }

    @Test
    void rankZeroThatWasPausedItselfRemovesNobodyOfAList() throws Exception {
        int first = FreePorts.range(2);
        openWorld("addresses=localhost:%d,localhost:%d".formatted(first, first + 1), _ -> "");
        pauseRankZero();
    }

    /** Hazelcast loses all other members when its own process was paused. */
    @Test
    void rankZeroThatWasPausedItselfRemovesNobodyThatHazelcastHasLost() throws Exception {
        int first = FreePorts.range(4);
        openWorld("bind=127.0.0.1 port=" + first, rank -> "tcp=" + (first + 2 + rank));
        pauseRankZero();
    }

    private void pauseRankZero() throws Exception {
        ChildProcess zero = ranks.getFirst();
        ChildProcess one = ranks.get(1);
        zero.pause();
        await().atMost(SOON)
                .until(() -> one.ask("waiting")
                        .startsWith("no rank is declared dead or added: waits for 1 of the electors [0, 1] with rank 0"
                                + " among them, or for 2"));
        Thread.sleep(LONGER_THAN_SILENCE.toMillis());

        zero.resume();

        await().during(LONG_ENOUGH_FOR_A_DECISION)
                .atMost(LONG_ENOUGH_FOR_A_DECISION.multipliedBy(2))
                .until(() -> zero.ask("members").equals("[0, 1]") && zero.ask("standing 1").equals("JOINED"));
        await().atMost(SOON).until(() -> one.ask("waiting").equals("nothing"));
        assertThat(one.ask("incarnation") + one.ask("refusal") + one.ask("standing 0")).isEqualTo("1noneJOINED");
    }
}
