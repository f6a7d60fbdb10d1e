package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.app.command.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

@Tag("processes")
class BenchEpochsTest {

    @TempDir
    Path folder;

    @AfterEach
    void nothingIsLeft() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).isEmpty();
        }
    }

    private CommandRun bench(String what, String... more) {
        Stream<String> arguments = Stream.of("bench", what, "--elements=1000", "--warmups=1", "--runs=3",
                "--shared-memory=" + folder);
        return Program.run(Stream.concat(arguments, Stream.of(more)).toArray(String[]::new));
    }

    @Test
    void atomicObjectsStandBesideAPlainWord() {
        CommandRun run = bench("atomics", "--ranks=2");
        assertThat(run.errors()).isEmpty();
        assertThat(run.output()).filteredOn(line -> line.contains("ns/operation"))
                .extracting(line -> line.split(" {2,}")[0])
                .containsExactly("local, plain word", "local, LocalAtomicObject", "local, LocalAtomicObject, ABA",
                        "own segment, plain word", "own segment, AtomicObject", "own segment, AtomicObject, ABA",
                        "fabric, plain word", "fabric, AtomicObject", "fabric, AtomicObject, ABA");
    }

    @Test
    void epochsAreMeasuredWithAndWithoutReclaiming() {
        CommandRun run = bench("epochs", "--ranks=2");
        assertThat(run.errors()).isEmpty();
        assertThat(run.output()).filteredOn(line -> line.contains("ns/operation"))
                .hasSize(18)
                .extracting(line -> line.split(" {2,}")[0])
                .contains("pin and unpin", "retire alone, 100 % remote", "free, 0 % remote",
                        "retire, reclaim every 1024, 50 % remote", "retire, reclaim every 1, 100 % remote",
                        "retire, reclaim at the end, 0 % remote", "retire, never reclaim, 50 % remote");
    }

    @Test
    void memoryInLimboIsBounded() {
        CommandRun run = bench("limbo", "--ranks=2");
        assertThat(run.errors()).isEmpty();
        assertThat(run.output()).filteredOn(line -> line.contains("in use at most"))
                .singleElement()
                .satisfies(line -> assertThat(Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                        .isBetween(0.01, 64.0));
    }

    @Test
    void programsReadTheSameAsJson() {
        var report = JsonMapper.shared().readTree(String.join("\n", bench("epochs", "--ranks=1", "--json").output()));
        assertThat(report.at("/benchmark").asString()).isEqualTo("epochs");
        assertThat(report.at("/measurements")).hasSize(18);
    }

    @Test
    void whatIsOutOfBoundsIsRefused() {
        assertThat(Program.run("bench", "atomics", "--elements=0").errors()).singleElement()
                .asString()
                .contains("elements=0");
    }
}
