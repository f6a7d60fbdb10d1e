package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.process.ChildProcess;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two hosts: rank 0 may declare the other dead all by itself, so it must not take its own pause for the silence of the other. */
@Tag("processes")
@Timeout(300)
class PausedHostTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration LONGER_THAN_SILENCE = Duration.ofSeconds(8);
    private static final Duration LONG_ENOUGH_FOR_A_DECISION = Duration.ofSeconds(5);

    private final List<ChildProcess> ranks = new ArrayList<>();

    @BeforeEach
    void openWorld(@TempDir Path folder) throws Exception {
        String addresses = Stream.generate(Hosts.Listed::free)
                .distinct()
                .limit(2)
                .map(PausedHostTest::text)
                .collect(Collectors.joining(","));
        List<CompletableFuture<String>> joined = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            Path host = Files.createDirectories(folder.resolve("host-" + rank));
            ranks.add(ChildProcess.start(WorldProgram.class));
            joined.add(ranks.get(rank)
                    .tell("open folder=%s name=pair size=2 rank=%d addresses=%s".formatted(host, rank, addresses)));
        }
        joined.forEach(reply -> assertThat(reply).succeedsWithin(SOON).isEqualTo("incarnation=1"));
        ranks.forEach(rank -> await().atMost(SOON).until(() -> rank.ask("members").equals("[0, 1]")));
    }

    private static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    @AfterEach
    void end() {
        ranks.forEach(ChildProcess::close);
    }

    @Test
    void rankZeroThatWasPausedItselfRemovesNobody() throws Exception {
        ChildProcess zero = ranks.getFirst();
        ChildProcess one = ranks.get(1);
        zero.pause();
        await().atMost(SOON).until(() -> one.ask("waiting").startsWith("no rank is declared dead:"));
        Thread.sleep(LONGER_THAN_SILENCE.toMillis());

        zero.resume();

        await().during(LONG_ENOUGH_FOR_A_DECISION)
                .atMost(LONG_ENOUGH_FOR_A_DECISION.multipliedBy(2))
                .until(() -> zero.ask("members").equals("[0, 1]") && zero.ask("standing 1").equals("JOINED"));
        await().atMost(SOON).until(() -> one.ask("waiting").equals("nothing"));
        assertThat(one.ask("incarnation") + one.ask("refusal") + one.ask("standing 0")).isEqualTo("1noneJOINED");
    }
}
