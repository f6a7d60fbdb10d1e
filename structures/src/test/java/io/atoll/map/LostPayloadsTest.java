package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.atoll.Patch;
import io.atoll.failure.RankUnreachableException;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A connection breaks while texts are stored together. Nothing of them stays allocated that no bucket refers to. */
class LostPayloadsTest extends LostTexts {

    private static final int RANKS = 3;
    private static final int KEYS = 48;
    private static final int MOST_BATCHES = 50;

    LostPayloadsTest() {
        super(RANKS);
    }

    private static Map<String, String> texts(String value) {
        return LongStream.range(0, KEYS).boxed().collect(Collectors.toMap(key -> "key " + key, key -> value + key));
    }

    /** Each batch is lost in turn, until none is left to be lost. */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, false"})
    void allIsFreedWhenTheConnectionIsThereAgain(boolean executes, boolean answers) {
        fabric.executes = executes;
        int losses = 0;
        for (int batch = 0; isLost(batch, answers); batch++, losses++) {
            assertThat(batch).isLessThan(MOST_BATCHES);
        }
        assertThat(losses).as("look, check, exchange").isGreaterThan(3);
    }

    /** Returns false if fewer batches were needed. */
    private boolean isLost(int batch, boolean answers) {
        map.putAll(texts("first "));
        var second = texts("second ");
        second.putAll(Map.of("new " + batch, "x", "newer " + batch, "y", "newest " + batch, "z"));
        fabric.before = batch;
        fabric.loses = true;
        fabric.answers = answers;
        RankUnreachableException failure = catchThrowableOfType(RankUnreachableException.class,
                () -> map.putAll(second));
        boolean isLost = !fabric.loses;
        fabric.loses = false;
        fabric.answers = true;
        assertNoneIsTorn(batch);
        map.putAll(second);
        assertThat(map.getAll(second.keySet())).as("batch=%s failure=%s", batch, failure).isEqualTo(second);
        map.clear();
        epochs.clear();
        for (int rank = 1; rank < RANKS; rank++) {
            assertThat(self.heap().usage(rank).objects()).as("batch=%s rank=%s", batch, rank).isZero();
        }
        return isLost;
    }

    /** What was freed by mistake comes into another use. */
    private void assertNoneIsTorn(int batch) {
        epochs.clear();
        map.putAll(LongStream.range(0, KEYS)
                .boxed()
                .collect(Collectors.toMap(key -> "other " + key, key -> "?" + key)));
        LongStream.range(0, KEYS)
                .forEach(key -> assertThat(map.get("key " + key)).as("batch=%s", batch)
                        .isIn("first " + key, "second " + key));
    }

    // --- mistakes ---

    private static final class LostAnswers implements Runnable {

        @Override
        public void run() {
            new LostPayloadsTest().allIsFreedWhenTheConnectionIsThereAgain(true, false);
        }
    }

    private static final class LostExchanges implements Runnable {

        @Override
        public void run() {
            new LostPayloadsTest().allIsFreedWhenTheConnectionIsThereAgain(false, false);
        }
    }

    private static void assertIsFound(Class<? extends Runnable> program, Class<?> patched, String text,
            String instead) {
        assertThatThrownBy(() -> new Patch(patched).replace(text, instead).run(program))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void aPayloadThatIsRetiredThoughItsBucketHasChangedIsFound() {
        assertIsFound(LostAnswers.class, Offer.class, "if (state == before) {", "if (true || state == before) {");
    }

    @Test
    void aPayloadThatIsRetiredThoughItsBucketRefersToItIsFound() {
        assertIsFound(LostAnswers.class, PayloadBulkPut.class, "offer == Offer.TAKEN", "false");
    }

    @Test
    void aBucketThatIsNotAskedIsFound() {
        assertIsFound(LostExchanges.class, Offer.class, "if (state == before) {", "if (false) {");
    }
}
