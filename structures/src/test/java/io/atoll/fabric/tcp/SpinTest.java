package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests how often a thread looks before it sleeps. */
class SpinTest {

    private final Spin spin = new Spin(5);

    /** Returns how many looks a wait takes in which nothing comes. */
    private int looksInVain() {
        int looks = 0;
        while (spin.goesOn()) {
            looks++;
        }
        spin.sleeps();
        return looks;
    }

    /** Returns how many waits sleep at once before the next one that looks. */
    private int skipped() {
        int skipped = 0;
        while (looksInVain() == 0) {
            skipped++;
        }
        return skipped;
    }

    @Test
    void aThreadLooksSomeTimesBeforeItSleeps() {
        assertThat(looksInVain()).isEqualTo(5);
    }

    @Test
    void waitsInVainAreFollowedByMoreAndMoreThatSleepAtOnce() {
        looksInVain();
        assertThat(IntStream.range(0, 9).map(_ -> skipped())).containsExactly(1, 3, 7, 15, 31, 63, 127, 127, 127);
    }

    @Test
    void eachWaitInWhichSomethingComesIsFollowedByOneThatLooks() {
        for (int wait = 0; wait < 1_000; wait++) {
            assertThat(spin.goesOn()).isTrue();
            spin.found();
        }
    }

    @Test
    void whatComesHalvesTheWaitsThatSleepAtOnce() {
        looksInVain();
        assertThat(skipped()).isEqualTo(1);
        assertThat(skipped()).isEqualTo(3);
        while (!spin.goesOn()) {
            spin.sleeps();
        }
        spin.found();
        looksInVain();
        assertThat(skipped()).as("of 7, halved, and one more than twice that").isEqualTo(7);
    }

    @Test
    void aThreadThatMayNotLookSleepsAtOnce() {
        Spin none = new Spin(0);
        for (int wait = 0; wait < 300; wait++) {
            assertThat(none.goesOn()).isFalse();
            none.sleeps();
        }
    }
}
