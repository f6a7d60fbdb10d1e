package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.app.command.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The k-mer job has the same counts by TCP and by RDMA as in shared memory. */
@Timeout(400)
@Tag("processes")
class KmerOverFabricsTest {

    private static final int BASES = 2_000;

    @TempDir
    private Path folder;

    static boolean hasDevice() {
        return Files.isDirectory(Path.of("/sys/class/infiniband"));
    }

    static boolean hasNoDevice() {
        return !hasDevice();
    }

    private Path genome() throws IOException {
        RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
        StringBuilder bases = new StringBuilder();
        random.ints(BASES, 0, 4).forEach(base -> bases.append("ACGT".charAt(base)));
        // A third of the genome occurs twice, so that there are counts above one.
        return Files.writeString(folder.resolve("genome.fa"),
                ">genome\n" + bases + "\n>repeat\n" + bases.substring(BASES * 2 / 3)
                        + "\n");
    }

    private static CommandRun kmer(String... arguments) {
        return Program.run(Stream.concat(Stream.of("kmer"), Stream.of(arguments)).toArray(String[]::new));
    }

    private List<String> counts(String fabric, int ranks, Path genome) throws IOException {
        Path out = folder.resolve(fabric);
        CommandRun run = kmer("--fabric=" + fabric, "--k=21", "--ranks=" + ranks, "--out=" + out, genome.toString());
        assertThat(run.errors()).isEmpty();
        assertThat(run.exitCode()).isZero();
        System.out.println("kmer --fabric=" + fabric + ": " + run.figures());
        return Files.readAllLines(out).stream().sorted().toList();
    }

    @Tag("rdma")
    @EnabledIf(value = "hasDevice", disabledReason = "no RDMA device here; the lab has one: mvn -q -DskipTests "
            + "-Prdma-lab test")
    @Test
    void theCountsByRdmaAreThoseOfSharedMemory() throws IOException {
        assertCountsAreThoseOfSharedMemory("rdma", 2);
    }

    /** Three ranks are more than the lab has processors. */
    @Tag("rdma")
    @Tag("nightly")
    @EnabledIf(value = "hasDevice", disabledReason = "no RDMA device here; the lab has one: mvn -q -DskipTests "
            + "-Prdma-lab test")
    @Test
    void theCountsOfThreeRanksByRdmaAreThoseOfSharedMemory() throws IOException {
        assertCountsAreThoseOfSharedMemory("rdma", 3);
    }

    @Test
    void theCountsByTcpAreThoseOfSharedMemory() throws IOException {
        assertCountsAreThoseOfSharedMemory("tcp", 3);
    }

    private void assertCountsAreThoseOfSharedMemory(String fabric, int ranks) throws IOException {
        Path genome = genome();
        List<String> expected = counts("shared-memory", 1, genome);
        assertThat(expected).hasSizeGreaterThan(BASES / 2).anyMatch(line -> line.endsWith("\t2"));
        assertThat(counts(fabric, ranks, genome)).isEqualTo(expected);
    }

    @Test
    @EnabledIf(value = "hasNoDevice", disabledReason = "there is an RDMA device")
    void withoutADeviceTheJobSaysSo() throws IOException {
        CommandRun run = kmer("--fabric=rdma", "--ranks=2", genome().toString());
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errors()).singleElement()
                .asString()
                .contains("this machine cannot use the fabric, choose another by --fabric: RDMA cannot be used here",
                        "no RDMA device");
    }
}
