package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.atoll.app.command.CommandRun;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
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
 * Runs contig generation from its command line. Compares its contigs to the unitigs of BCALM 2 (Chikhi, Limasset and
 * Medvedev, Bioinformatics 2016).
 */
@Timeout(value = 240, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("processes")
class ContigsTest {

    private static final Path LAMBDA = Path.of("../src/sample/lambda_virus.fa.gz");

    @TempDir
    Path folder;
    private Path reads;

    @BeforeEach
    void unpack() throws IOException {
        reads = folder.resolve("reads.fq");
        try (InputStream packed = Objects.requireNonNull(getClass().getResourceAsStream("/reads_1.fq.gz"))) {
            Files.copy(new GZIPInputStream(packed), reads);
        }
    }

    private static void requireBcalm() {
        assumeTrue(Stream.of(System.getenv("PATH").split(":"))
                .anyMatch(each -> Files.isExecutable(Path.of(each, "bcalm"))), "needs bcalm (Debian package bcalm)");
    }

    private List<String> bcalm(int length, int minimum, Path file) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("bcalm", "-in", file.toString(), "-kmer-size", "" + length,
                "-abundance-min", "" + minimum, "-nb-cores", "1", "-out", "unitigs")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("bcalm.log").toFile())
                .start();
        assertThat(process.waitFor()).isZero();
        return sequences(folder.resolve("unitigs.unitigs.fa"));
    }

    private List<String> contigs(int length, int minimum, int ranks, Path... files) throws IOException {
        Path out = folder.resolve("contigs.fa");
        CommandRun run = Program.run(Stream.concat(Stream.of("contigs", "--shared-memory=" + folder, "--k=" + length,
                "--min=" + minimum, "--ranks=" + ranks, "--out=" + out), Stream.of(files).map(Path::toString))
                .toArray(String[]::new));
        assertThat(run.errors()).isEmpty();
        return sequences(out);
    }

    /** Returns the sequences in the order of their canonical strands. */
    private static List<String> sequences(Path fasta) throws IOException {
        try (Stream<String> lines = Files.lines(fasta)) {
            return lines.filter(line -> !line.startsWith(">")).map(ContigsTest::canonical).sorted().toList();
        }
    }

    private static String reverse(String bases) {
        return new StringBuilder(bases).reverse()
                .chars()
                .mapToObj(base -> "" + "TGCA".charAt("ACGT".indexOf(base)))
                .collect(Collectors.joining());
    }

    private static String canonical(String bases) {
        String reverse = reverse(bases);
        return bases.compareTo(reverse) <= 0 ? bases : reverse;
    }

    @ParameterizedTest
    @CsvSource({"21, 2, 1", "21, 2, 3", "11, 3, 2", "31, 1, 2"})
    void contigsOfReadsAreTheUnitigsOfBcalm(int length, int minimum, int ranks)
            throws IOException, InterruptedException {
        requireBcalm();
        assertThat(contigs(length, minimum, ranks, reads)).isNotEmpty().isEqualTo(bcalm(length, minimum, reads));
    }

    private Path fasta(String... sequences) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String sequence : sequences) {
            lines.add(">sequence");
            lines.add(sequence);
        }
        return Files.write(folder.resolve("sequences.fa"), lines);
    }

    private static String random(int length) {
        var random = new SplittableRandom(length);
        return random.ints(length, 0, 4).mapToObj(base -> "" + "ACGT".charAt(base)).collect(Collectors.joining());
    }

    @Test
    void aSequenceWithoutRepeatsIsOneContig() throws IOException {
        String sequence = random(500);
        assertThat(contigs(21, 1, 2, fasta(sequence))).containsExactly(canonical(sequence));
        assertThat(contigs(21, 1, 2, fasta(sequence, reverse(sequence)))).containsExactly(canonical(sequence));
        assertThat(contigs(21, 2, 2, fasta(sequence, sequence.substring(100, 300))))
                .containsExactly(canonical(sequence.substring(100, 300)));
    }

    @Test
    void contigsEndWhereSequencesPart() throws IOException {
        String stem = random(100);
        String one = random(60);
        String other = (one.startsWith("A") ? "C" : "A") + random(61);
        assertThat(contigs(21, 1, 3, fasta(stem + one, stem + other))).containsExactlyInAnyOrder(canonical(stem),
                canonical(stem.substring(80) + one), canonical(stem.substring(80) + other));
    }

    /** A circle may be cut anywhere. */
    @Test
    void aCircleIsOneContigThatIsCutOnce() throws IOException {
        String circle = random(200);
        List<String> contigs = contigs(21, 1, 3, fasta(circle + circle.substring(0, 20)));
        assertThat(contigs).hasSize(1);
        String cut = contigs.getFirst();
        assertThat(cut).hasSize(220).endsWith(cut.substring(0, 20));
        assertThat(circle + circle).containsAnyOf(cut.substring(0, 200), reverse(cut.substring(0, 200)));
    }

    @Test
    void aKmerThatFollowsItselfIsAContig() throws IOException {
        assertThat(contigs(21, 1, 2, fasta("A".repeat(50)))).containsExactly("A".repeat(21));
    }

    @Test
    void anEvenLengthIsRefused() {
        assertThat(Program.run("contigs", "--k=20", reads.toString()).errors())
                .containsExactly("contigs: --k must be odd, from 3 to 31: k=20");
    }

    @Test
    void aGenomeIsPutTogetherByAnyNumberOfRanksAlike() throws IOException {
        List<String> byOne = contigs(31, 1, 1, LAMBDA);
        assertThat(contigs(31, 1, 3, LAMBDA)).isEqualTo(byOne);
        assertThat(byOne).hasSizeBetween(1, 20);
    }
}
