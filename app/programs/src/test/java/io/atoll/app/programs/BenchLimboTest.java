package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.app.command.CommandRun;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

@Tag("processes")
class BenchLimboTest {

    @TempDir
    Path folder;

    @AfterEach
    void nothingIsLeft() {
        assertThat(folder).isEmptyDirectory();
    }

    private CommandRun bench(String what, String... more) {
        Stream<String> arguments = Stream.of("bench", what, "--elements=1000", "--warmups=1", "--runs=3",
                "--shared-memory=" + folder);
        return Program.run(Stream.concat(arguments, Stream.of(more)).toArray(String[]::new));
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
        var report = JsonMapper.shared().readTree(String.join("\n", bench("limbo", "--ranks=1", "--json").output()));
        assertThat(report.at("/benchmark").asString()).isEqualTo("limbo");
        assertThat(report.at("/measurements")).hasSize(2);
    }

    @Test
    void whatIsOutOfBoundsIsRefused() {
        assertThat(Program.run("bench", "limbo", "--elements=0").errors()).singleElement()
                .asString()
                .contains("elements=0");
    }
}
