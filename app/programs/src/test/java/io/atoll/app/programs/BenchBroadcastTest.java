package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.app.command.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Tag("processes")
class BenchBroadcastTest {

    @TempDir
    Path segments;

    @TempDir
    Path figures;

    private CommandRun bench(String what, String... more) {
        Stream<String> arguments = Stream.of("bench", what, "--warmups=1", "--runs=2", "--shared-memory=" + segments);
        CommandRun run = Program.run(Stream.concat(arguments, Stream.of(more)).toArray(String[]::new));
        assertThat(segments).isEmptyDirectory();
        return run;
    }

    private static List<String> names(CommandRun run) {
        return run.output().stream().skip(2).map(line -> line.split(" {2,}")[0]).toList();
    }

    @Test
    void broadcastsStandBesideWhatTheModelPredicts() {
        CommandRun run = bench("broadcast", "--ranks=3", "--sizes=2KiB..5KiB", "--algorithm=linear,auto");
        assertThat(run.errors()).isEmpty();
        assertThat(names(run)).containsExactly("linear, 3 ranks, 2 KiB", "linear, 3 ranks, 2 KiB, predicted",
                "auto, 3 ranks, 2 KiB", "auto, 3 ranks, 2 KiB, predicted", "linear, 3 ranks, 4 KiB",
                "linear, 3 ranks, 4 KiB, predicted", "auto, 3 ranks, 4 KiB", "auto, 3 ranks, 4 KiB, predicted",
                "linear, 3 ranks, 5 KiB", "linear, 3 ranks, 5 KiB, predicted", "auto, 3 ranks, 5 KiB",
                "auto, 3 ranks, 5 KiB, predicted");
    }

    @Test
    void figuresShowLatencyAgainstSizeAndAgainstRanks() {
        CommandRun run = bench("broadcast", "--ranks=2,3", "--sizes=64KiB..128KiB", "--delay=100us",
                "--svg=" + figures);
        assertThat(run.errors()).isEmpty();
        assertThat(run.output().getFirst()).contains("ranks=2,3", "100000 ns, simulated");
        assertThat(figures.resolve("broadcast-by-size.svg")).content()
                .contains(">Broadcast to 3 ranks (100000 ns, simulated)</title");
        assertThat(figures.resolve("broadcast-by-ranks.svg")).content().contains(">Broadcast of 128 KiB (");
    }

    @Test
    void aFolderForFiguresIsMadeAndOneThatCannotBeIsRefusedBeforeAnythingIsMeasured() throws IOException {
        Path made = figures.resolve("of/today");
        assertThat(bench("broadcast", "--ranks=2", "--sizes=2KiB,4KiB", "--svg=" + made).errors()).isEmpty();
        assertThat(made.resolve("broadcast-by-size.svg")).isNotEmptyFile();
        Path file = Files.createFile(figures.resolve("file"));
        CommandRun refused = bench("broadcast", "--ranks=2", "--sizes=2KiB", "--svg=" + file.resolve("within"));
        assertThat(refused.errors()).singleElement().asString().contains("choose another: folder=" + file);
        assertThat(refused.output()).isEmpty();
        assertThat(bench("locks", "--svg=" + figures).errors()).singleElement().asString().endsWith("file=" + figures);
    }

    @Test
    void whatSendingCostsIsPrintedAsAPropertyAndAsJson() {
        CommandRun run = bench("loggp", "--bytes=64KiB");
        assertThat(run.errors()).isEmpty();
        assertThat(names(run)).startsWith("L, latency", "o, overhead", "g, gap", "G, gap per 1024 bytes",
                "o_r, receive overhead");
        assertThat(run.output().getLast()).startsWith("atoll.collectives.costs: {latency: ");
    }

    @Test
    void broadcastsToRanksThatNobodyHasAreSimulatedBesideWhatThePaperSaw() {
        CommandRun run = bench("loggp", "--costs=1300,300,300,0.31,18000000", "--simulate=65536", "--sizes=10MiB",
                "--svg=" + figures.resolve("loggp.svg"), "--json");
        assertThat(run.errors()).isEmpty();
        JsonNode rows = JsonMapper.shared().readTree(String.join("\n", run.output())).at("/measurements");
        assertThat(rows.valueStream().map(row -> row.at("/name").asString())).hasSize(5 + 2 * 16 + 4 * 3 - 2)
                .contains("binomial, 65536 ranks, 10 MiB, simulated",
                        "tree is faster, 16 MiB, InfiniBand of the paper");
        assertThat(figures.resolve("loggp.svg")).isNotEmptyFile();
    }

    @Test
    void whatIsOutOfBoundsIsRefused() {
        assertThat(bench("broadcast", "--ranks=1").errors()).singleElement().asString().contains("ranks=1");
        assertThat(bench("broadcast", "--sizes=4KiB..2KiB").errors()).singleElement().asString().contains("4KiB..2KiB");
        assertThat(bench("broadcast", "--sizes=7B").errors()).singleElement().asString().contains("size=7B");
        assertThat(bench("loggp", "--costs=1,2").errors()).singleElement().asString().contains("costs=[1.0, 2.0]");
        assertThat(bench("loggp", "--simulate=65537").errors()).singleElement().asString().contains("simulate=65537");
    }
}
