package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.app.command.CommandRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("processes")
class BenchGrowthTest {

    @TempDir
    Path folder;

    @Test
    void everySingleInsertionIsMeasuredInAMapThatGrowsAndInOneThatDoesNot() {
        CommandRun run = Program.run("bench", "growth", "--elements=20000", "--warmups=1", "--runs=3", "--ranks=2",
                "--shared-memory=" + folder);
        assertThat(run.errors()).isEmpty();
        assertThat(run.output()).filteredOn(line -> line.contains("ns/operation"))
                .hasSize(14)
                .extracting(line -> line.split(" {2,}")[0])
                .contains("growing, insert", "growing, insert, 99.99 %", "growing, insert, longest", "growing, find",
                        "fixed, insert", "fixed, increment");
        assertThat(folder).isEmptyDirectory();
    }
}
