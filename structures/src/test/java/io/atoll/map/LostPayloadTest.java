package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.atoll.Patch;
import io.atoll.failure.RankUnreachableException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A connection breaks while a text of one key is stored. Nothing stays allocated that no bucket refers to. */
class LostPayloadTest extends LostTexts {

    private static final int RANKS = 2;
    private static final int AWAY = RANKS - 1;
    private static final int MOST_BATCHES = 20;
    private static final int OTHERS = 16;

    private final String key = keyOfTheOneAway("key ");

    LostPayloadTest() {
        super(RANKS);
    }

    /** One of the ways to store a text. */
    private interface Storing {

        void store(DistributedMap<String, String> map, String key, String value);
    }

    private String keyOfTheOneAway(String prefix) {
        return IntStream.range(0, 100)
                .mapToObj(number -> prefix + number)
                .filter(any -> map.owner(any) == AWAY)
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({"true, true, 0", "true, false, 0", "false, false, 0", "true, false, 1", "false, false, 1",
        "true, false, 3", "false, false, 3"})
    void whatAPutHasWrittenOrReplacedIsFreed(boolean executes, boolean answers, int lostWrites) {
        assertAllIsFreed(executes, answers, lostWrites, DistributedMap::put);
    }

    @ParameterizedTest
    @CsvSource({"true, true, 0", "true, false, 0", "false, false, 0", "true, false, 1", "false, false, 1",
        "true, false, 3", "false, false, 3"})
    void whatAFunctionHasWrittenOrReplacedIsFreed(boolean executes, boolean answers, int lostWrites) {
        assertAllIsFreed(executes, answers, lostWrites, (map, key, value) -> map.compute(key, (_, _) -> value));
    }

    /** Each batch is lost in turn, until none is left to be lost: of a new key, and of one that has a value. */
    private void assertAllIsFreed(boolean executes, boolean answers, int lostWrites, Storing storing) {
        fabric.executes = executes;
        fabric.lostWrites = lostWrites;
        for (boolean isNew : new boolean[]{true, false}) {
            int losses = 0;
            while (isLost(losses, answers, isNew, storing)) {
                losses++;
                assertThat(losses).isLessThan(MOST_BATCHES);
            }
            assertThat(losses).as("look, exchange").isGreaterThan(1);
        }
    }

    /** Returns false if fewer batches were needed. */
    private boolean isLost(int batch, boolean answers, boolean isNew, Storing storing) {
        String used = isNew ? keyOfTheOneAway("new " + batch + " ") : key;
        if (!isNew) {
            map.put(used, "first");
        }
        fabric.before = batch;
        fabric.loses = true;
        fabric.answers = answers;
        RankUnreachableException failure = catchThrowableOfType(RankUnreachableException.class,
                () -> storing.store(map, used, "second"));
        boolean isLost = !fabric.loses;
        fabric.loses = false;
        fabric.answers = true;
        self.reservations().retryAll(); // as a thread of the world does from time to time
        epochs.clear();
        for (int other = 0; other < OTHERS; other++) {
            map.put("other " + other, "?"); // what was freed by mistake comes into another use
        }
        String what = "batch=" + batch + " isNew=" + isNew + " failure=" + failure;
        assertThat(map.get(used)).as(what).isIn(isNew ? null : "first", "second");
        map.put(used, "third");
        assertThat(map.get(used)).as(what).isEqualTo("third");
        map.clear();
        epochs.clear();
        assertThat(self.heap().usage(AWAY).objects()).as(what).isZero();
        return isLost;
    }

    /** The write of the text may still arrive. */
    @Test
    void whatIsWrittenForNothingIsNotFreedAtOnce() {
        map.put(key, "first");
        fabric.executes = false;
        fabric.answers = false;
        fabric.before = 1;
        fabric.loses = true;
        assertThatThrownBy(() -> map.put(key, "second")).isInstanceOf(RankUnreachableException.class);
        assertThat(self.heap().usage(AWAY).objects()).isEqualTo(2);
        epochs.clear();
        assertThat(self.heap().usage(AWAY).objects()).isEqualTo(1);
    }

    // --- mistakes ---

    private static final class LostAnswers implements Runnable {

        @Override
        public void run() {
            new LostPayloadTest().whatAPutHasWrittenOrReplacedIsFreed(true, false, 0);
        }
    }

    private static final class LostExchanges implements Runnable {

        @Override
        public void run() {
            new LostPayloadTest().whatAPutHasWrittenOrReplacedIsFreed(false, false, 1);
        }
    }

    private static final class LateWrites implements Runnable {

        @Override
        public void run() {
            new LostPayloadTest().whatIsWrittenForNothingIsNotFreedAtOnce();
        }
    }

    /** By the test, or by the heap, which frees nothing twice. */
    private static void assertIsFound(Class<? extends Runnable> program, Class<?> patched, String text,
            String instead) {
        assertThatThrownBy(() -> new Patch(patched).replace(text, instead).run(program))
                .isInstanceOfAny(AssertionError.class, IllegalArgumentException.class);
    }

    @Test
    void aPayloadThatIsRetiredThoughItsBucketHasChangedIsFound() {
        assertIsFound(LostAnswers.class, Offer.class, "if (state == before) {", "if (true || state == before) {");
    }

    @Test
    void aPayloadThatIsRetiredThoughItsBucketRefersToItIsFound() {
        assertIsFound(LostAnswers.class, PayloadChange.class, "case TAKEN -> former;", "case TAKEN -> reference;");
    }

    @Test
    void aBucketThatIsNotAskedIsFound() {
        assertIsFound(LostExchanges.class, Offer.class, "if (state == before) {", "if (false) {");
    }

    @Test
    void aPayloadThatIsFreedAtOnceIsFound() {
        assertIsFound(LateWrites.class, PayloadChange.class,
                "entries.payloads.retireAfter(failure, token, owner, unused);",
                "entries.payloads.discardAfter(failure, owner, unused);");
    }
}
