package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests sixty-four ranks in four processes, each connected to all others by TCP. One is shut out, and a process is
 * killed.
 */
@Timeout(600)
@Tag("processes")
class CrowdTest {

    private static final int RANKS = CrowdProgram.WORLD.size();
    private static final int PROCESSES = 4;
    private static final int RANKS_OF_A_PROCESS = RANKS / PROCESSES;
    private static final int ROUNDS = 20;
    private static final int RESTLESS = RANKS_OF_A_PROCESS + 1; // a rank of the second process
    private static final int KILLED = PROCESSES - 1;
    private static final String[] OPTIONS = {"-Xmx128m", "-Xss256k", "-XX:MaxDirectMemorySize=1g"};
    private static final long PATIENCE_SECONDS = 240;

    private final List<ChildProcess> processes = new ArrayList<>();
    private final List<String> places = new ArrayList<>(); // of the ranks of each process

    @AfterEach
    void end() {
        processes.forEach(ChildProcess::kill);
    }

    private static List<String> all(List<ChildProcess> asked, String command) {
        return replies(asked.stream().map(process -> process.tell(command)).toList());
    }

    private static List<String> replies(List<CompletableFuture<String>> replies) {
        return replies.stream().map(reply -> reply.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join()).toList();
    }

    private static long sum(List<String> numbers) {
        return numbers(numbers).sum();
    }

    private static LongStream numbers(List<String> lines) {
        return lines.stream().flatMap(line -> Stream.of(line.split(" "))).mapToLong(Long::parseLong);
    }

    private static String attaching(Path folder, int process) {
        return "attach " + folder + " " + process * RANKS_OF_A_PROCESS + " " + RANKS_OF_A_PROCESS;
    }

    private static String list(IntStream ranks) {
        return ranks.mapToObj(Integer::toString).collect(Collectors.joining(","));
    }

    private void startAll(Path folder) {
        for (int process = 0; process < PROCESSES; process++) {
            processes.add(ChildProcess.start(CrowdProgram.class, OPTIONS));
        }
        places.addAll(replies(IntStream.range(0, PROCESSES)
                .mapToObj(process -> processes.get(process).tell(attaching(folder, process)))
                .toList()));
        all(processes, "meet " + String.join(" ", places));
        assertThat(sum(all(processes, "connect"))).isEqualTo(RANKS * (RANKS - 1L));
    }

    @Test
    void eachRankReachesAllOthersUntilOneIsShutOutAndSomeAreKilled(@TempDir Path folder) throws Exception {
        startAll(folder);
        assertAllAddToAll();
        assertNothingMovesAfterAFence();
        assertOthersGoOnWhenSomeAreKilled(folder);
    }

    private void assertAllAddToAll() {
        long added = sum(all(processes, "add " + ROUNDS + " " + list(IntStream.range(0, RANKS))));
        assertThat(added).isEqualTo(ROUNDS * RANKS * (RANKS - 1L));
        assertThat(numbers(all(processes, "words"))).hasSize(RANKS).containsOnly(ROUNDS * (RANKS - 1L));
        assertThat(sum(all(processes, "connections"))).isEqualTo(RANKS * (RANKS - 1L));
    }

    private void assertNothingMovesAfterAFence() throws Exception {
        ChildProcess restless = processes.get(RESTLESS / RANKS_OF_A_PROCESS);
        restless.ask("restless " + RESTLESS);
        await().atMost(Duration.ofSeconds(PATIENCE_SECONDS))
                .until(() -> Long.parseLong(restless.ask("restless-added")) > 10 * RANKS);
        List<String> fenced = all(processes, "fence " + RESTLESS);
        long acknowledged = sum(all(List.of(restless), "rest"));
        assertThat(all(processes, "restless-words")).isEqualTo(fenced);
        // For each owner, at most one request of this rank was executed and not acknowledged.
        assertThat(sum(fenced)).isBetween(acknowledged, acknowledged + RANKS - 1);
    }

    /** Returns the places of all ranks except the one that was shut out. */
    private List<String> livingPlaces() {
        return places.stream()
                .flatMap(line -> Stream.of(line.split(" ")))
                .filter(place -> !place.startsWith(RESTLESS + "/"))
                .toList();
    }

    private void assertOthersGoOnWhenSomeAreKilled(Path folder) {
        List<ChildProcess> living = processes.subList(0, KILLED);
        int first = KILLED * RANKS_OF_A_PROCESS;
        String killed = list(IntStream.range(first, RANKS));
        String others = list(IntStream.range(0, first).filter(rank -> rank != RESTLESS));

        processes.get(KILLED).kill();
        assertThat(sum(all(living, "unreachable " + killed))).isEqualTo(first * (RANKS - (long) first));
        long before = numbers(all(living, "words")).sum();
        long added = sum(all(processes.subList(0, 1), "add " + ROUNDS + " " + others));
        // Excluding the rank that was shut out, and the adding rank itself.
        assertThat(added).isEqualTo((long) ROUNDS * RANKS_OF_A_PROCESS * (first - 2));
        assertThat(numbers(all(living, "words")).sum()).isEqualTo(before + added);

        ChildProcess again = ChildProcess.start(CrowdProgram.class, OPTIONS);
        processes.set(KILLED, again);
        places.set(KILLED, replies(List.of(again.tell(attaching(folder, KILLED)))).getFirst());
        assertThat(places.get(KILLED).split(" ")).hasSize(RANKS_OF_A_PROCESS)
                .allMatch(place -> place.split("/")[1].equals("2"));
        all(living, "meet " + places.get(KILLED));
        all(List.of(again), "meet " + String.join(" ", livingPlaces()));
        added = sum(all(processes.subList(0, 1), "add " + ROUNDS + " " + killed));
        assertThat(added).isEqualTo((long) ROUNDS * RANKS_OF_A_PROCESS * RANKS_OF_A_PROCESS);
        assertThat(numbers(all(List.of(again), "words"))).hasSize(RANKS_OF_A_PROCESS)
                .containsOnly(ROUNDS * (RANKS - 1L + RANKS_OF_A_PROCESS));
    }
}
