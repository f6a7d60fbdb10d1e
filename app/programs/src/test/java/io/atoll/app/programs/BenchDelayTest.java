package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.app.command.CommandRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchDelayTest {

    @TempDir
    Path folder;

    private CommandRun run(String delay) {
        return Program.run("bench", "array", "--elements=2000", "--warmups=1", "--runs=1", "--ranks=2",
                "--shared-memory=" + folder, "--delay=" + delay);
    }

    @Test
    void whatIsMeasuredOnASimulatedNetworkSaysSo() {
        CommandRun run = run("20us");
        assertThat(run.errors()).isEmpty();
        assertThat(run.output()).first().asString().contains("delay=20000 ns, simulated");
        assertThat(run.output()).filteredOn(line -> line.startsWith("LongArray, get, raw"))
                .singleElement()
                .satisfies(line -> assertThat(Double.parseDouble(line.split(" {2,}")[2])).isGreaterThan(20_000));
    }

    @Test
    void whatIsNoTimeIsRefused() {
        assertThat(run("often").errors()).anyMatch(line -> line.contains("delay=often"));
    }
}
