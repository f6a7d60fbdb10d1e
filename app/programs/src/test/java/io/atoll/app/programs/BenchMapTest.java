package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.app.command.CommandRun;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Tag("processes")
class BenchMapTest {

    @TempDir
    Path folder;

    @AfterEach
    void nothingIsLeft() {
        assertThat(folder).isEmptyDirectory();
    }

    private CommandRun bench(String... more) {
        Stream<String> arguments = Stream.of("bench", "map", "--keys=1000", "--warmups=1", "--runs=3",
                "--shared-memory=" + folder);
        return Program.run(Stream.concat(arguments, Stream.of(more)).toArray(String[]::new));
    }

    @Test
    void everyOperationStandsBesideItsRawLoop() {
        CommandRun run = bench("--ranks=2");
        assertThat(run.errors()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.output()).filteredOn(line -> line.contains("ns/operation"))
                .extracting(line -> line.split(" {2,}")[0])
                .containsExactly("LongLongMap, insert", "LongLongMap, insert, raw", "LongLongMap, find",
                        "LongLongMap, find, raw", "LongLongMap, find, only finds promised",
                        "LongLongMap, find, only finds promised, raw", "LongLongMap, increment",
                        "LongLongMap, increment, raw", "DistributedMap, insert", "DistributedMap, insert, raw",
                        "DistributedMap, find", "DistributedMap, find, raw",
                        "DistributedMap, find, only finds promised", "DistributedMap, find, only finds promised, raw",
                        "DistributedMap, insert, buffered", "DistributedMap, insert, buffered, raw");
    }

    @Test
    void onASimulatedNetworkEveryOperationIsMeasuredAsWell() {
        CommandRun run = bench("--ranks=2", "--delay=2us");
        assertThat(run.errors()).isEmpty();
        assertThat(run.output().getFirst()).contains("fabric=shared-memory", "delay=2000 ns, simulated");
        assertThat(run.output()).filteredOn(line -> line.contains("ns/operation")).hasSize(16);
    }

    @Test
    void pagesThatWereTouchedBeforeAreSaidToBe() {
        CommandRun run = bench("--ranks=2", "--touched");
        assertThat(run.errors()).isEmpty();
        assertThat(run.output().getFirst()).contains("pages=touched");
        assertThat(run.output()).filteredOn(line -> line.contains("ns/operation")).hasSize(16);
        assertThat(bench("--ranks=1").output().getFirst()).doesNotContain("touched");
    }

    @Test
    void countingVerbsIsMeasuredBesideNotCountingThem() {
        CommandRun run = bench("--meters", "--ranks=2", "--starts=2");
        assertThat(run.errors()).isEmpty();
        assertThat(run.output().subList(2, run.output().size())).hasSize(15)
                .extracting(line -> line.split(" {2,}")[0])
                .startsWith("find, own keys", "find, own keys, counted", "find, own keys, more")
                .contains("find, another rank's keys, more", "increment, own keys, more",
                        "find in a map of objects, another rank's keys, more");
        assertThat(bench("--meters", "--ranks=1").errors()).singleElement().asString().contains("--ranks=2 at least");
    }

    @Test
    void programsReadTheSameAsJson() {
        JsonNode report = JsonMapper.shared().readTree(String.join("\n", bench("--ranks=1", "--json").output()));
        assertThat(report.at("/benchmark").asString()).isEqualTo("map");
        assertThat(report.at("/measurements")).hasSize(16).allSatisfy(measurement -> {
            assertThat(measurement.at("/runs")).hasSize(3);
            assertThat(measurement.at("/median").asDouble()).isPositive();
        });
    }

    @Test
    void optionsOutOfRangeAreRefused() {
        assertThat(bench("--ranks=0").errors()).containsExactly("map: --ranks must be from 1 to 1024: ranks=0");
        assertThat(bench("--runs=0").exitCode()).isEqualTo(2);
    }
}
