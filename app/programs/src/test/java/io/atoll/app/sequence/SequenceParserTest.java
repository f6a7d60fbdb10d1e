package io.atoll.app.sequence;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceParserTest {

    /** Keeps the reads as texts. */
    private static final class Collector implements SequenceVisitor {

        private final List<StringBuilder> reads = new ArrayList<>();

        @Override
        public void startRead() {
            reads.add(new StringBuilder());
        }

        @Override
        public void bases(byte[] buffer, int from, int to) {
            reads.getLast().append(new String(buffer, from, to - from, US_ASCII));
        }

        List<String> texts() {
            return reads.stream().map(StringBuilder::toString).toList();
        }
    }

    /**
     * Parses the text in pieces of the given size. Each piece lies in the middle of a larger buffer with other content.
     */
    private static List<String> parse(String text, int pieceBytes) {
        Collector collector = new Collector();
        SequenceParser parser = new SequenceParser("reads", collector);
        for (int from = 0; from < text.length(); from += pieceBytes) {
            String piece = text.substring(from, Math.min(text.length(), from + pieceBytes));
            byte[] buffer = ("@\nACGT\n" + piece + "\nACGT\n>").getBytes(US_ASCII);
            parser.parse(buffer, 7, 7 + piece.length());
        }
        parser.end();
        assertThat(parser.reads()).isEqualTo(collector.reads.size());
        return collector.texts();
    }

    private static List<String> parse(String text) {
        return parse(text, Math.max(1, text.length()));
    }

    @Test
    void fastaLinesOfOneRecordAreOneRead() {
        assertThat(parse(">one two\nACG\nT\n>three\nNNN\n")).containsExactly("ACGT", "NNN");
    }

    @Test
    void aFastaRecordMayBeEmptyAndTheLastLineUnfinished() {
        assertThat(parse(">one\n>two\n\n>three\nAC\nG")).containsExactly("", "", "ACG");
        assertThat(parse(">only a name")).containsExactly("");
    }

    @Test
    void emptyLinesAroundRecordsAreSkipped() {
        assertThat(parse("\n\n>one\nAC\n\nGT\n\n\n")).containsExactly("ACGT");
        assertThat(parse("\n@one\nAC\n+\n!!\n\n@two\nG\n+\n!\n\n\n")).containsExactly("AC", "G");
    }

    @Test
    void linesMayEndWithCarriageReturnAndLineFeed() {
        assertThat(parse(">one\r\nAC\r\nGT\r\n\r\n")).containsExactly("ACGT");
        assertThat(parse("@one\r\nACGT\r\n+\r\n!!!!\r\n\r\n")).containsExactly("ACGT");
    }

    @Test
    void aQualityLineMayBeginAsARecordDoes() {
        assertThat(parse("@one\nACGT\n+one\n@+>@\n@two\nTTTT\n+\n++++\n")).containsExactly("ACGT", "TTTT");
    }

    @Test
    void fastqSequencesMayHaveSeveralLines() {
        assertThat(parse("@one\nACGT\nAC\n+\n!!!\n@!!\n@two\nA\n+\n!\n")).containsExactly("ACGTAC", "A");
    }

    @Test
    void aFastqReadMayBeEmpty() {
        assertThat(parse("@one\n\n+\n\n@two\nA\n+\n!\n")).containsExactly("", "A");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 8, 9, 64})
    void whereTheBytesAreCutDoesNotMatter(int pieceBytes) {
        RandomGenerator random = RandomGenerator.getDefault();
        for (int round = 0; round < 200; round++) {
            String lineEnd = random.nextBoolean() ? "\n" : "\r\n";
            List<String> reads = new ArrayList<>();
            StringBuilder text = new StringBuilder();
            boolean fasta = random.nextBoolean();
            for (int read = random.nextInt(1, 6); read > 0; read--) {
                String bases = random.ints(random.nextInt(1, 40), 0, 5)
                        .mapToObj(each -> "acGTN".substring(each, each + 1))
                        .reduce("", String::concat);
                reads.add(bases);
                int cut = random.nextInt(bases.length());
                text.append(fasta
                        ? ">r" + lineEnd + bases.substring(0, cut) + lineEnd + bases.substring(cut) + lineEnd
                        : "@r" + lineEnd + bases + lineEnd + "+" + lineEnd + "@".repeat(bases.length()) + lineEnd);
            }
            assertThat(parse(text.toString(), pieceBytes)).as(text.toString()).isEqualTo(reads);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n\n"})
    void anEmptyFileIsRefused(String text) {
        assertThatThrownBy(() -> parse(text)).isInstanceOf(InputException.class)
                .hasMessage("reads: is empty, but must be FASTA or FASTQ");
    }

    @Test
    void somethingElseIsRefused() {
        assertThatThrownBy(() -> parse("PK\u0003\u0004"))
                .hasMessage("reads: is neither FASTA nor FASTQ, it begins with 'P'");
        assertThatThrownBy(() -> parse("\u0007bin"))
                .hasMessage("reads: is neither FASTA nor FASTQ, it begins with byte 7");
    }

    @ParameterizedTest
    @ValueSource(strings = {"@one", "@one\n", "@one\nAC", "@one\nAC\n", "@one\nAC\n+", "@one\nAC\n+\n",
        "@one\nAC\n+\n!"})
    void aFastqFileThatEndsWithinAReadIsRefused(String text) {
        assertThatThrownBy(() -> parse("@zero\nA\n+\n!\n" + text)).isInstanceOf(InputException.class)
                .hasMessage("reads: ends within read 2");
    }

    @Test
    void qualitiesMustBeAsManyAsBases() {
        assertThatThrownBy(() -> parse("@one\nACG\n+\n!!\n@two\nA\n+\n!\n"))
                .hasMessage("reads: read 1 has 3 bases and 2 qualities");
        assertThatThrownBy(() -> parse("@one\nACG\n+\n!!!!\n")).hasMessage("reads: read 1 has 3 bases and 4 qualities");
        assertThatThrownBy(() -> parse("@one\nACG\n+\n!!!!")).hasMessage("reads: read 1 has 3 bases and 4 qualities");
    }

    @Test
    void aMissingSeparatorIsRefused() {
        assertThatThrownBy(() -> parse("@one\nACG\n@two\nACG\n+\n!!!\n"))
                .hasMessage("reads: read 1 has no '+' line before the next read begins");
    }

    @Test
    void whatFollowsARecordMustBeARecord() {
        assertThatThrownBy(() -> parse("@one\nA\n+\n!\n>two\nA\n"))
                .hasMessage("reads: read 1 is followed by '>' instead of '@'");
    }
}
