package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how many writes may be unanswered, depending on the measured round trips. */
class WindowTest {

    private static final int SAMPLED = 16; // one of this many writes is measured
    private static final int MOST = 64;

    private long nowNanos;
    private long number; // of the last frame
    private final Window window = new Window(new Clock() {
        @Override
        public long nanoTime() {
            return nowNanos;
        }

        @Override
        public void pause(int attempt) {
            throw new AssertionError("a window waits for nothing");
        }
    });

    /** Returns the number of the frame that is written. */
    private long write() {
        window.sent(++number);
        return number;
    }

    private void answerAfter(long nanos) {
        nowNanos += nanos;
        window.answered(number);
    }

    /** Each write is answered before the next one, all after the same time. One of them is measured. */
    private void measure(long micros) {
        for (int write = 0; write < SAMPLED; write++) {
            write();
            answerAfter(TimeUnit.MICROSECONDS.toNanos(micros));
        }
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, TimeUnit.MICROSECONDS.toChronoUnit());
    }

    /** Writes until no more may be unanswered. Returns how many are. */
    private int fill() {
        long answered = number;
        int unanswered = 0;
        for (; window.isOpen(answered) && unanswered <= MOST; unanswered++) {
            write();
        }
        return unanswered;
    }

    @Test
    void oneWriteMayBeUnansweredBeforeARoundTripIsKnown() {
        assertThat(window.size()).isOne();
        assertThat(window.roundTrip()).isZero();
        assertThat(window.isOpen(0)).isTrue();
        write();
        assertThat(window.isOpen(0)).isFalse();
        assertThat(window.isOpen(1)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "15, 1", "31, 1", "32, 2", "47, 2", "160, 10", "1007, 62", "1008, 63", "1024, 64", "1040, 64",
        "30000000, 64"})
    void thereIsOneWriteForEachSixteenMicrosecondsOfTheRoundTrip(long micros, int writes) {
        measure(micros);
        assertThat(window.roundTrip()).isEqualTo(micros(micros));
        assertThat(window.size()).isEqualTo(writes);
        assertThat(fill()).isEqualTo(writes);
    }

    @ParameterizedTest
    @CsvSource({"160, 10", "5000, 64"})
    void eachAnswerMakesRoomForTheWritesUpToItsFrame(long micros, int writes) {
        measure(micros);
        long before = number;
        fill();
        for (int round = 0; round < 3 * MOST; round++) {
            assertThat(window.isOpen(before + round)).as("%d writes are unanswered", writes).isFalse();
            assertThat(window.isOpen(before + round + 1)).as("one of them is answered").isTrue();
            write();
        }
        assertThat(window.isOpen(number)).as("all are answered").isTrue();
    }

    /** A longer round trip has waited for a processor. */
    @Test
    void theShortestRoundTripCounts() {
        measure(640);
        measure(160);
        assertThat(window.roundTrip()).isEqualTo(micros(160));
        assertThat(window.size()).isEqualTo(10);
        measure(480);
        assertThat(window.roundTrip()).as("a sixteenth of the difference").isEqualTo(micros(180));
        assertThat(window.size()).isEqualTo(11);
    }

    /** Another route may be slower for good. */
    @Test
    void roundTripsThatStayLongerAreBelievedInTheEnd() {
        measure(16);
        for (int round = 0; round < 100; round++) {
            measure(800);
        }
        assertThat(window.roundTrip()).isBetween(micros(780), micros(800));
    }

    @Test
    void oneOfSixteenWritesIsMeasured() {
        write();
        answerAfter(1_000_000);
        for (int write = 1; write < SAMPLED; write++) {
            write();
            answerAfter(1_000);
            assertThat(window.roundTrip()).isEqualTo(Duration.ofMillis(1));
        }
        write();
        answerAfter(1_000);
        assertThat(window.roundTrip()).isEqualTo(micros(1));
    }

    /** Meanwhile answers to earlier frames come, and other writes happen. */
    @Test
    void aRoundTripEndsWithTheAnswerToTheFrameThatWasMeasured() {
        long measured = write();
        nowNanos += 1_000;
        window.answered(measured - 1);
        assertThat(window.roundTrip()).as("not answered").isZero();
        for (int write = 0; write < 2 * SAMPLED; write++) {
            write();
        }
        nowNanos += 4_000;
        window.answered(measured);
        assertThat(window.roundTrip()).isEqualTo(micros(5));
        nowNanos += 1_000_000;
        window.answered(number);
        assertThat(window.roundTrip()).as("nothing else was measured").isEqualTo(micros(5));
    }

    /** A write that no thread waits for asks for no answer: the last frame that asks for one is the same as before. */
    @Test
    void writesThatAreNotAnsweredTakeNoRoom() {
        measure(32);
        long before = number;
        for (int write = 0; write < 3; write++) {
            window.sent(number);
            assertThat(window.isOpen(before)).isTrue();
        }
        write();
        window.sent(number);
        assertThat(window.isOpen(before)).isTrue();
        write();
        assertThat(window.isOpen(before)).isFalse();
    }
}
