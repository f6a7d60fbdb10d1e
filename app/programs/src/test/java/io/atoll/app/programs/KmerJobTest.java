package io.atoll.app.programs;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.app.command.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The k-mer job, run from its command line, with ranks as processes. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("processes")
class KmerJobTest {

    private static final int READS = 3000;

    @TempDir
    Path shared;
    @TempDir
    Path folder;
    private Path out;
    private Path fastq;
    private Path fasta;
    private List<String> reads;

    @BeforeEach
    void writeReads() throws IOException {
        RandomGenerator random = RandomGenerator.getDefault();
        String genome = letters(random, 4000, "ACGTacgt");
        reads = new ArrayList<>();
        for (int read = 0; read < READS; read++) {
            int from = random.nextInt(genome.length() - 150);
            StringBuilder bases = new StringBuilder(genome.substring(from, from + random.nextInt(150)));
            for (int letter = 0; letter < bases.length(); letter++) {
                if (random.nextInt(100) == 0) {
                    bases.setCharAt(letter, "ACGTNnR".charAt(random.nextInt(7)));
                }
            }
            reads.add(bases.toString());
        }
        out = folder.resolve("counts.tsv");
        fastq = folder.resolve("reads.fq.gz");
        fasta = folder.resolve("reads.fa");
        writeGzip(fastq, reads.subList(0, READS / 2)
                .stream()
                .map(bases -> "@read\n" + bases + "\n+\n" + "I".repeat(bases.length()) + "\n")
                .collect(Collectors.joining()));
        Files.writeString(fasta, reads.subList(READS / 2, READS)
                .stream()
                .map(bases -> ">read\r\n" + bases.substring(0, bases.length() / 2) + "\r\n"
                        + bases.substring(bases.length() / 2) + "\r\n")
                .collect(Collectors.joining()));
    }

    private static String letters(RandomGenerator random, int count, String alphabet) {
        return random.ints(count, 0, alphabet.length())
                .map(alphabet::charAt)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static void writeGzip(Path file, String text) throws IOException {
        try (GZIPOutputStream stream = new GZIPOutputStream(Files.newOutputStream(file))) {
            stream.write(text.getBytes(US_ASCII));
        }
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        try (Stream<Path> left = Files.list(shared)) {
            assertThat(left).isEmpty();
        }
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left.filter(file -> file.getFileName().toString().startsWith("."))).isEmpty();
        }
        assertThat(ProcessHandle.current().descendants()).isEmpty();
    }

    private CommandRun kmer(Object... arguments) {
        return Program.run(Stream.concat(Stream.of("kmer", "--shared-memory=" + shared), Arrays.stream(arguments))
                .map(Object::toString)
                .toArray(String[]::new));
    }

    /** Counts k-mers by the definition. */
    private Map<String, Long> expected(int length) {
        Map<String, Long> counts = new TreeMap<>();
        for (String read : reads) {
            String bases = read.toUpperCase(Locale.ROOT);
            for (int from = 0; from + length <= bases.length(); from++) {
                String kmer = bases.substring(from, from + length);
                if (kmer.chars().allMatch(base -> "ACGT".indexOf(base) >= 0)) {
                    String reverse = new StringBuilder(kmer).reverse()
                            .toString()
                            .replace('A', 't')
                            .replace('C', 'g')
                            .replace('G', 'c')
                            .replace('T', 'a')
                            .toUpperCase(Locale.ROOT);
                    counts.merge(kmer.compareTo(reverse) < 0 ? kmer : reverse, 1L, Long::sum);
                }
            }
        }
        return counts;
    }

    private Map<String, Long> written() throws IOException {
        return Files.readAllLines(out)
                .stream()
                .map(line -> line.split("\t"))
                .collect(Collectors.toMap(line -> line[0], line -> Long.valueOf(line[1]), (_, _) -> {
                    throw new AssertionError("a k-mer was written twice");
                }, TreeMap::new));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 3", "21, 1", "21, 2", "21, 3", "31, 3"})
    void everyKmerIsCounted(int length, int ranks) throws IOException {
        CommandRun run = kmer("--k=" + length, "--ranks=" + ranks, "--out=" + out, fastq, fasta);
        assertThat(run.errors()).isEmpty();
        assertThat(run.exitCode()).isZero();
        Map<String, Long> expected = expected(length);
        assertThat(written()).isEqualTo(expected);
        assertThat(run.figures()).containsEntry("reads", "" + READS)
                .containsEntry("k-mers", "" + expected.values().stream().mapToLong(count -> count).sum())
                .containsEntry("distinct", "" + expected.size())
                .containsEntry("unique", "" + expected.values().stream().filter(count -> count == 1).count())
                .containsEntry("max count",
                        "" + expected.values().stream().mapToLong(count -> count).max().orElseThrow())
                .containsKeys("seconds", "million k-mers a second");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void theFilterKeepsOutMostKmersThatOccurOnceAndNothingElse(int ranks) throws IOException {
        CommandRun run = kmer("--k=21", "--ranks=" + ranks, "--bloom", "--out=" + out, fastq, fasta);
        assertThat(run.errors()).isEmpty();
        Map<String, Long> expected = expected(21);
        Map<String, Long> written = written();
        assertThat(expected).containsAllEntriesOf(written);
        assertThat(repeated(written)).isEqualTo(repeated(expected));
        long unique = expected.size() - repeated(expected).size();
        // The filter's error rate is 1 % when it is full. Chance may double it.
        assertThat(written.size() - repeated(written).size()).isLessThan((int) (0.02 * unique));
        assertThat(run.figures()).containsEntry("distinct", "" + expected.size()).containsEntry("unique", "" + unique);
    }

    private static Map<String, Long> repeated(Map<String, Long> counts) {
        return counts.entrySet()
                .stream()
                .filter(entry -> entry.getValue() > 1)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    @Test
    void theMinimumLimitsWhatIsWritten() throws IOException {
        Files.writeString(out, "an older result");
        kmer("--min=3", "--ranks=2", "--out=" + out, fastq, fasta);
        Map<String, Long> expected = expected(21);
        expected.values().removeIf(count -> count < 3);
        assertThat(written()).isEqualTo(expected);
    }

    @Test
    void roomForTheKmersMayBeTold() throws IOException {
        CommandRun run = kmer("--distinct=100000", "--segment=16MB", "--ranks=2", "--out=" + out, fastq, fasta);
        assertThat(run.errors()).isEmpty();
        assertThat(written()).isEqualTo(expected(21));
    }

    @Test
    void readsWithoutAKmerGiveAnEmptyResult() throws IOException {
        Files.writeString(fasta, ">short\nACGT\n>none\nNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN\n");
        CommandRun run = kmer("--ranks=2", "--out=" + out, fasta);
        assertThat(run.exitCode()).isZero();
        assertThat(run.figures()).containsEntry("reads", "2")
                .containsEntry("k-mers", "0")
                .containsEntry("max count", "0");
        assertThat(out).isEmptyFile();
    }

    private void assertRefused(String message, Object... arguments) {
        CommandRun run = kmer(arguments);
        assertThat(run.errors()).singleElement().asString().contains(message);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.output()).isEmpty();
        assertThat(out).doesNotExist();
    }

    @Test
    void optionsOutOfRangeAreRefused() {
        assertRefused("kmer: --k must be from 1 to 31: k=0", "--k=0", fasta);
        assertRefused("kmer: --k must be from 1 to 31: k=32", "--k=32", fasta);
        assertRefused("--k", "--k=many", fasta);
        assertRefused("kmer: --ranks must be from 1 to 1024: ranks=0", "--ranks=0", fasta);
        assertRefused("kmer: --min must be at least 1: min=0", "--min=0", fasta);
        assertRefused("--distinct must be from 1 to", "--distinct=0", fasta);
        assertRefused("a size is a number and B, KB, MB, GB or TB: 'much'", "--segment=much", fasta);
    }

    @Test
    void whatCannotBeReadIsRefused() throws IOException {
        Path missing = folder.resolve("missing.fq");
        assertRefused("kmer: " + missing + ": does not exist", fasta, missing);
        assertRefused("kmer: " + folder + ": is a directory, not a file", folder);
        Path text = Files.writeString(folder.resolve("notes.txt"), "not reads");
        assertRefused("kmer: " + text + ": is neither FASTA nor FASTQ, it begins with 'n'", text);
        Path truncated = folder.resolve("truncated.fq.gz");
        Files.write(truncated, Arrays.copyOf(Files.readAllBytes(fastq), (int) Files.size(fastq) / 2));
        assertRefused("kmer: " + truncated + ": the gzip data end too early, the file is truncated", truncated);
        Path unfinished = Files.writeString(folder.resolve("unfinished.fq"), "@read\nACGT\n+\n");
        assertRefused("kmer: " + unfinished + ": ends within read 1", unfinished);
    }

    @Test
    void aRankRefusesWhatItsParentHasNotRead() throws IOException {
        Path text = Files.writeString(folder.resolve("notes.txt"), "not reads");
        assertRefused(": " + text + ": is neither FASTA nor FASTQ, it begins with 'n'", "--distinct=100", "--ranks=2",
                text);
    }

    @Test
    void aResultThatCannotBeWrittenIsRefused() {
        assertRefused("the path of --out is not a regular file: " + folder, "--out=" + folder, fasta);
        assertRefused("the folder of --out does not exist, or this user may not write there: ",
                "--out=" + folder.resolve("none/counts"), fasta);
    }

    @Test
    void tooLittleMemoryIsRefused() {
        assertRefused(
                "there is not enough memory for 100000000000 different k-mers, use --bloom, a smaller --distinct or "
                        + "a larger --shared-memory: ",
                "--distinct=100000000000", "--ranks=2", fasta);
        assertRefused(
                "there is not enough memory for 100000000000 different k-mers, use --bloom, a smaller --distinct or "
                        + "a larger --shared-memory: ",
                "--distinct=100000000000", "--ranks=1", fasta);
        assertRefused("the table is full, raise --distinct: ", "--distinct=100", "--ranks=2", "--out=" + out,
                fastq, fasta);
        assertRefused("the segment is too small, raise --segment: ", "--segment=300KB", "--ranks=2", "--out=" + out,
                fastq, fasta);
        assertRefused("--segment must be at least ", "--segment=1KB", "--ranks=2", fasta);
    }

    @Test
    void whoDoesNotKnowTheUsageIsShownIt() {
        for (String[] arguments : new String[][]{{}, {"count"}, {"--what"}, {"kmer", "--what", fasta.toString()},
            {"bench"}}) {
            CommandRun run = Program.run(arguments);
            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.output()).isEmpty();
            assertThat(run.errors()).anyMatch(line -> line.startsWith("Usage: java -jar atoll-app.jar"));
        }
        CommandRun noFile = kmer();
        assertThat(noFile.exitCode()).isEqualTo(2);
        assertThat(noFile.errors()).containsExactly("Missing required parameter: 'FILE'");
    }
}
