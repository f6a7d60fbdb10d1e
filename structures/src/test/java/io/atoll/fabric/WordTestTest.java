package io.atoll.fabric;

import static io.atoll.memory.Layouts.offsetOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests tests of words, and searches for the first record that passes them. */
class WordTestTest {

    private static final int WORDS = 32;

    private final MemorySegment records = Arena.ofAuto().allocate(WORDS * Layouts.WORD, Layouts.CACHE_LINE);
    private final MappedMemory words = new MappedMemory(records);
    private final ImmediateBatch batch = new ImmediateBatch((_, _) -> words, 512);
    private final RecordSearch search = new RecordSearch();

    private boolean isPossible(long bytes, long stride, int tests) {
        return RecordSearch.isPossible(bytes, stride, batch.buffer(), 0, tests);
    }

    private void run(long stride, int tests) {
        search.run(words, 0, records.byteSize(), stride, batch.buffer(), 0, tests);
    }

    @Test
    void theLayoutIsThatWhichOtherVersionsKnow() {
        assertThat(offsetOf(WordTest.LAYOUT, "displacement")).isZero();
        assertThat(offsetOf(WordTest.LAYOUT, "mask")).isEqualTo(8);
        assertThat(offsetOf(WordTest.LAYOUT, "smallest")).isEqualTo(16);
        assertThat(offsetOf(WordTest.LAYOUT, "greatest")).isEqualTo(24);
        assertThat(WordTest.BYTES).isEqualTo(32);
        assertThat(WordTest.MOST).isEqualTo(8);
        assertThat(Batch.SEARCH_BYTES).isEqualTo(4096);
        WordTest.put(batch, 8, 1, 2, 3, 4);
        assertThat(batch.buffer().asSlice(8, 32).toArray(ValueLayout.JAVA_LONG)).containsExactly(1, 2, 3, 4);
        WordTest.putEqual(batch, 8, 5, 6);
        assertThat(batch.buffer().asSlice(8, 32).toArray(ValueLayout.JAVA_LONG)).containsExactly(5, -1, 6, 6);
    }

    @ParameterizedTest
    @CsvSource({"5, -1, 5, 5, true", "6, -1, 5, 5, false", "5, -1, 6, 4, false",
        "-1, -1, 1, 9223372036854775807, false",
        "-1, -1, 1, -1, true", "0, -1, 1, -1, false", "0x7F, 0xF, 15, 15, true", "0x7F, 0xF0, 0x80, 0xFF, false",
        "9, 0, 0, 0, true", "-9223372036854775808, -1, 9223372036854775807, -1, true"})
    void aWordPassesIfTheBitsOfTheMaskLieBetweenTheBoundsAsUnsignedNumbers(String word, String mask, String smallest,
            String greatest, boolean passes) {
        WordTest.put(batch, 0, 0, Long.decode(mask), Long.decode(smallest), Long.decode(greatest));
        assertThat(WordTest.passes(Long.decode(word), batch.buffer(), 0)).isEqualTo(passes);
    }

    @Test
    void theFirstRecordThatPassesAllTestsIsFoundWithTheWordOfTheFirstTest() {
        for (long index = 0; index < WORDS; index++) {
            words.set(index * 8, index / 4 % 2 == 0 ? index % 4 : 10 * index);
        }
        WordTest.putEqual(batch, 0, 24, 70); // only in the second record of four words
        WordTest.putEqual(batch, 32, 0, 40);
        run(32, 2);
        assertThat(search.displacement()).isEqualTo(32);
        assertThat(search.word()).isEqualTo(70);
        WordTest.putEqual(batch, 32, 0, 41);
        run(32, 2);
        assertThat(search.displacement()).as("one of its tests fails").isEqualTo(RecordSearch.NOWHERE);
        assertThat(search.word()).isZero();
        WordTest.putEqual(batch, 0, 16, 2); // in every other record
        run(32, 1);
        assertThat(search.displacement()).isZero();
        assertThat(search.word()).isEqualTo(2);
    }

    @Test
    void theLastRecordIsFound() {
        words.set(8 * (WORDS - 1), 3);
        WordTest.put(batch, 0, 0, 1, 1, 1);
        run(8, 1);
        assertThat(search.displacement()).isEqualTo(8 * (WORDS - 1));
    }

    @ParameterizedTest
    @CsvSource({"8, 8, 1, true", "4096, 4096, 1, true", "4096, 8, 8, true", "4104, 8, 1, false", "0, 8, 1, false",
        "-8, 8, 1, false", "16, 12, 1, false", "16, 0, 1, false", "16, -8, 1, false", "24, 16, 1, false",
        "8, 8, 0, false", "8, 8, 9, false", "8, 8, -1, false", "8, 16, 1, false"})
    void aSearchHasWholeRecordsWithinItsBoundsAndFewTests(long bytes, long stride, int tests, boolean possible) {
        for (int test = 0; test <= WordTest.MOST; test++) {
            WordTest.putEqual(batch, test * WordTest.BYTES, 0, 0);
        }
        assertThat(isPossible(bytes, stride, tests)).isEqualTo(possible);
    }

    @ParameterizedTest
    @CsvSource({"0, true", "8, true", "16, false", "4, false", "-8, false", "9223372036854775800, false",
        "-9223372036854775808, false"})
    void aTestedWordLiesInItsRecord(long displacement, boolean possible) {
        WordTest.putEqual(batch, 0, 0, 0);
        WordTest.putEqual(batch, 32, displacement, 0);
        assertThat(isPossible(64, 16, 2)).isEqualTo(possible);
    }
}
