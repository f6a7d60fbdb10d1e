package io.atoll.app.sequence.kmer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KmerScannerTest {

    private static List<String> scan(int length, int share, int shares, List<String> reads) {
        List<String> found = new ArrayList<>();
        KmerScanner scanner = new KmerScanner(length, share, shares, kmer -> found.add(text(kmer, length)));
        RandomGenerator random = RandomGenerator.getDefault();
        for (String read : reads) {
            scanner.startRead();
            byte[] bases = read.getBytes(US_ASCII);
            for (int from = 0; from < bases.length;) {
                int to = random.nextInt(from + 1, Math.min(bases.length, from + 300) + 1);
                scanner.bases(bases, from, to);
                from = to;
            }
        }
        assertThat(scanner.count()).isEqualTo(found.size());
        return found;
    }

    private static String text(long kmer, int length) {
        byte[] text = new byte[length];
        Kmer.decode(kmer, text, 0, length);
        return new String(text, US_ASCII);
    }

    /** Finds the k-mers in texts, by the definition. */
    private static List<String> expected(int length, List<String> reads) {
        return reads.stream()
                .map(read -> read.toUpperCase(Locale.ROOT))
                .flatMap(read -> IntStream.rangeClosed(0, read.length() - length)
                        .mapToObj(from -> read.substring(from, from + length)))
                .filter(kmer -> kmer.matches("[ACGT]+"))
                .map(kmer -> kmer.compareTo(reverseComplement(kmer)) < 0 ? kmer : reverseComplement(kmer))
                .toList();
    }

    private static String reverseComplement(String kmer) {
        return new StringBuilder(kmer).reverse()
                .chars()
                .mapToObj(base -> "TGCA".charAt("ACGT".indexOf(base)))
                .collect(StringBuilder::new, StringBuilder::append, StringBuilder::append)
                .toString();
    }

    private static String randomRead(RandomGenerator random, int bound, String letters) {
        return random.ints(random.nextInt(bound), 0, letters.length())
                .map(letters::charAt)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 16, 21, 30, 31})
    void everyCanonicalKmerIsFoundInOrder(int length) {
        RandomGenerator random = RandomGenerator.getDefault();
        List<String> reads = random.ints(200)
                .mapToObj(_ -> randomRead(random, 400, "ACGTacgtACGTacgtACGTacgtN"))
                .toList();
        assertThat(scan(length, 0, 1, reads)).isEqualTo(expected(length, reads));
    }

    @Test
    void anyOtherLetterBreaksAKmer() {
        String letters = IntStream.range(0, 128)
                .filter(each -> "ACGTacgt".indexOf(each) < 0)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        for (char letter : letters.toCharArray()) {
            assertThat(scan(3, 0, 1, List.of("ACC" + letter + "AAA"))).containsExactly("ACC", "AAA");
        }
        byte[] beyondAscii = {'A', 'C', 'C', (byte) 0xe9, 'A', 'A'};
        List<Long> found = new ArrayList<>();
        new KmerScanner(3, 0, 1, found::add).bases(beyondAscii, 0, beyondAscii.length);
        assertThat(found).hasSize(1);
    }

    @Test
    void readsShorterThanAKmerHaveNone() {
        assertThat(scan(5, 0, 1, List.of("ACGT", "", "ACG", "ACGTA"))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 7})
    void sharesHaveEveryKmerOnceAndAreEven(int shares) {
        RandomGenerator random = RandomGenerator.getDefault();
        List<String> reads = new ArrayList<>();
        reads.add(randomRead(random, 20_000, "ACGT") + "ACGT".repeat(KmerScanner.RUN));
        random.ints(100).forEach(_ -> reads.add(randomRead(random, 200, "ACGTN")));
        for (int length : new int[]{1, 21, 31}) {
            int k = length;
            List<List<String>> found = IntStream.range(0, shares)
                    .mapToObj(share -> scan(k, share, shares, reads))
                    .toList();
            List<String> all = found.stream().flatMap(List::stream).sorted().toList();
            assertThat(all).isEqualTo(expected(length, reads).stream().sorted().toList());
            int[] sizes = found.stream().mapToInt(List::size).toArray();
            assertThat(Arrays.stream(sizes).max().orElseThrow() - Arrays.stream(sizes).min().orElseThrow())
                    .isLessThanOrEqualTo(KmerScanner.RUN + 100 * 31);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 32})
    void lengthsOutOfRangeAreRefused(int length) {
        assertThatThrownBy(() -> new KmerScanner(length, 0, 1, _ -> {})).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("length=" + length);
    }
}
