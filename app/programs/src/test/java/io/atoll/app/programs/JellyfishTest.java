package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.atoll.app.command.CommandRun;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The counts of the k-mer job equal those of Jellyfish (Marcais and Kingsford, Bioinformatics 2011), to the last k-mer.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("processes")
class JellyfishTest {

    private static final Path LAMBDA = Path.of("../src/sample/lambda_virus.fa.gz");

    @TempDir
    Path folder;
    private Path reads;
    private Path lambda;

    @BeforeEach
    void unpack() throws IOException {
        assumeTrue(hasJellyfish(), "needs jellyfish (Debian package jellyfish)");
        reads = folder.resolve("reads.fq");
        lambda = folder.resolve("lambda.fa");
        try (InputStream packed = Objects.requireNonNull(getClass().getResourceAsStream("/reads_1.fq.gz"))) {
            Files.copy(new GZIPInputStream(packed), reads);
        }
        Files.copy(new GZIPInputStream(Files.newInputStream(LAMBDA)), lambda);
    }

    private static boolean hasJellyfish() {
        return Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(each -> Files.isExecutable(Path.of(each, "jellyfish")));
    }

    private List<String> jellyfish(int length, Path... files) throws IOException, InterruptedException {
        Path database = folder.resolve("database");
        Path dump = folder.resolve("dump");
        execute(Stream
                .concat(Stream.of("jellyfish", "count", "-C", "-m", "" + length, "-s", "1M", "-o", database.toString()),
                        Stream.of(files).map(Path::toString))
                .toList());
        execute(List.of("jellyfish", "dump", "-c", "-t", "-o", dump.toString(), database.toString()));
        return sortedLines(dump);
    }

    private static List<String> sortedLines(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.sorted().toList();
        }
    }

    private static void execute(List<String> command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    private List<String> atoll(int length, int ranks, Path... files) throws IOException {
        Path out = folder.resolve("counts.tsv");
        CommandRun run = Program.run(Stream.concat(Stream.of("kmer", "--shared-memory=" + folder, "--k=" + length,
                "--ranks=" + ranks, "--out=" + out), Stream.of(files).map(Path::toString)).toArray(String[]::new));
        assertThat(run.errors()).isEmpty();
        return sortedLines(out);
    }

    @ParameterizedTest
    @CsvSource({"1, 3", "2, 2", "16, 3", "21, 1", "21, 3", "31, 2"})
    void countsOfReadsAreTheSame(int length, int ranks) throws IOException, InterruptedException {
        assertThat(atoll(length, ranks, reads)).isNotEmpty()
                .isEqualTo(jellyfish(length, reads));
    }

    @Test
    void countsOfSeveralFilesInBothFormatsAreTheSame() throws IOException, InterruptedException {
        assertThat(atoll(21, 3, LAMBDA, reads)).isEqualTo(jellyfish(21, lambda, reads));
    }

    @Test
    void countsOfMixedCaseAndOtherLettersAreTheSame() throws IOException, InterruptedException {
        Path mixed = Files.writeString(folder.resolve("mixed.fa"),
                Files.readString(lambda)
                        .replace("AATT", "aatt")
                        .replace("GGCC", "GRCC")
                        .replace("CAG", "cnG")
                        .replace("TTTT", "TT\nTT") + ">short\nACGTACGT\n>empty\n\n\n");
        assertThat(atoll(9, 2, mixed)).isEqualTo(jellyfish(9, mixed));
    }
}
