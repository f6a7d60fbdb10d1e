package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.atoll.app.command.CommandRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The integer sort, and the benchmarks of queues, filters and arrays, each with processes. */
@Tag("processes")
class QueueJobsTest {

    @TempDir
    Path folder;

    @AfterEach
    void nothingIsLeft() {
        assertThat(folder).isEmptyDirectory();
    }

    private CommandRun run(String... arguments) {
        return Program
                .run(Stream.concat(Stream.of(arguments), Stream.of("--shared-memory=" + folder))
                        .toArray(String[]::new));
    }

    @Test
    void threeRanksSortAllKeysAndSayHowLongItTook() {
        CommandRun run = run("isx", "--ranks=3", "--keys=50000", "--message=300");
        assertThat(run.errors()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.figures()).containsEntry("keys", "150000")
                .containsKeys("distribution", "local sort", "both", "million keys a second");
    }

    @Test
    void aSortIsComparedWithOneInOneProcess() {
        CommandRun run = run("isx", "--ranks=2", "--keys=20000", "--compare");
        assertThat(run.errors()).isEmpty();
        assertThat(run.figures()).containsEntry("keys", "40000")
                .containsKeys("both", "parallel sort, 1 process", "times as long");
    }

    @Test
    void aSortOfFewKeysSendsThemAllAtOnce() {
        CommandRun run = run("isx", "--ranks=2", "--keys=5");
        assertThat(run.errors()).isEmpty();
        assertThat(run.figures()).containsEntry("keys", "10");
    }

    @Test
    void aSortOfNothingIsRefused() {
        assertThat(run("isx", "--keys=0").errors()).singleElement().asString().endsWith("keys=0");
        assertThat(run("isx", "--keys=5", "--message=6").errors()).singleElement().asString().endsWith("message=6");
    }

    @Test
    void everyQueueIsMeasuredAloneAndManyAndBesideItsRawLoop() {
        CommandRun run = run("bench", "queue", "--elements=3000", "--warmups=1", "--runs=2");
        assertThat(run.errors()).isEmpty();
        assertThat(names(run)).containsExactlyElementsOf(beside("circular push", "circular pop",
                "circular push, only pushes promised", "circular pop, only pops promised", "circular push, many",
                "circular pop, many", "circular push, only pushes promised, many",
                "circular pop, only pops promised, many", "fast push", "fast pop", "fast push of 1,024, each",
                "fast pop of 1,024, each", "fast push, many", "fast pop, many", "fast push of 1,024, each, many",
                "fast pop of 1,024, each, many"));
    }

    private static List<String> names(CommandRun run) {
        return run.output()
                .stream()
                .filter(line -> line.contains("ns/operation"))
                .map(line -> line.split(" {2,}")[0])
                .toList();
    }

    /** Returns each name, and that of its raw loop. */
    private static List<String> beside(String... names) {
        return Stream.of(names).flatMap(name -> Stream.of(name, name + ", raw")).toList();
    }

    @Test
    void filtersAreMeasuredBesideTheirRawLoopAndSayHowOftenTheyAreWrong() {
        CommandRun run = run("bench", "filter", "--elements=3000", "--warmups=1", "--runs=2");
        assertThat(run.errors()).isEmpty();
        assertThat(names(run)).containsExactlyElementsOf(beside("add", "add, was there", "find",
                "add of 1,024, each", "find of 1,024, each"));
        assertThat(run.output()).last().asString().startsWith("found though not added");
    }

    @Test
    void arraysAreMeasuredBesideTheirRawLoopAndProgramsReadTheSame() {
        CommandRun run = run("bench", "array", "--elements=3000", "--warmups=1", "--runs=2", "--json");
        assertThat(run.errors()).isEmpty();
        JsonNode report = JsonMapper.shared().readTree(String.join("\n", run.output()));
        assertThat(report.at("/benchmark").asString()).isEqualTo("array");
        assertThat(report.at("/measurements")).extracting(measurement -> measurement.at("/name").asString())
                .containsExactlyElementsOf(beside("LongArray, set", "LongArray, get", "LongArray, add",
                        "DistributedArray, set", "DistributedArray, get", "DistributedArray, write of 1,024, each",
                        "DistributedArray, read of 1,024, each"));
    }

    @Test
    void whereThereIsNoDeviceABenchmarkOverRdmaSaysSo() {
        assumeFalse(Files.exists(Path.of("/dev/infiniband")), "needs a machine without an RDMA device");
        CommandRun run = run("bench", "array", "--elements=3000", "--fabric=rdma");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errors()).singleElement().asString().startsWith("array: ");
    }
}
