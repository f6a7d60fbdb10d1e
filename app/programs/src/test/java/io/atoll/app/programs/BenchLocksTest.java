package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.app.command.CommandRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("processes")
class BenchLocksTest {

    @TempDir
    Path folder;

    @TempDir
    Path figures;

    @Test
    void everyLockIsMeasuredAtEachLocalityAndDrawn() {
        CommandRun run = Program.run("bench", "locks", "--ranks=2", "--locks=8", "--locality=100,50", "--millis=20",
                "--warmups=0", "--runs=2", "--delay=1us", "--shared-memory=" + folder,
                "--svg=" + figures.resolve("throughput.svg"), "--latency-svg=" + figures.resolve("latency.svg"));
        assertThat(run.errors()).isEmpty();
        assertThat(run.output()).first().asString().contains("delay=1000 ns, simulated");
        assertThat(run.output()).filteredOn(line -> line.contains("acquisitions/s"))
                .extracting(line -> line.split(" {2,}")[0])
                .containsExactly("alock, 100 % local, throughput", "alock, 50 % local, throughput",
                        "mcs, 100 % local, throughput", "mcs, 50 % local, throughput",
                        "spin, 100 % local, throughput", "spin, 50 % local, throughput");
        assertThat(figures.resolve("throughput.svg")).content()
                .contains("Acquisitions of 8 locks by 2 x 1 threads (1000 ns, simulated)");
        assertThat(figures.resolve("latency.svg")).content()
                .contains("Latency, 100 % local, of 8 locks by 2 x 1 threads (1000 ns, simulated)");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void anUnknownLockIsRefused() {
        assertThat(Program.run("bench", "locks", "--lock=mutex").errors())
                .anyMatch(line -> line.contains("lock=mutex"));
    }
}
