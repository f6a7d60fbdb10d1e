package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/** Tests what a rank without memory learns of the lives that it had. */
class FormerIncarnationsTest {

    private static final WorldIdentity WORLD = new WorldIdentity("former-lives", 3);
    private static final int RANK = 1;
    private static final int INCARNATION = 4;

    private final MappedMemory segment = new MappedMemory(
            Arena.ofAuto().allocate(SegmentHeader.size(WORLD.maxSize()), Layouts.CACHE_LINE));
    private final FormerIncarnations lives = new FormerIncarnations(segment, RANK, INCARNATION, WORLD.size());

    @Test
    void theHighestOfThoseThatOthersKnowCounts() {
        assertThat(lives.highest()).isZero();
        lives.note(0, 1, 5);
        lives.note(2, 1, 2);
        assertThat(lives.highest()).isEqualTo(5);
    }

    /** The life that a later word names may be the present one. */
    @Test
    void whatARankSaysAfterItsFirstWordDoesNotCount() {
        lives.note(0, 1, 0);
        lives.note(0, 1, INCARNATION);
        assertThat(lives.highest()).isZero();
        lives.isChosen();
        assertThat(lives.later()).isZero();
    }

    /** A process that has ended may still ask. */
    @Test
    void eachProcessThatARankIsHasAFirstWordUntilTheNumberIsChosen() {
        lives.note(0, 1, 0);
        lives.note(0, 2, 5);
        assertThat(lives.highest()).isEqualTo(5);
        lives.note(0, 1, 6);
        lives.note(0, 2, 6);
        assertThat(lives.highest()).isEqualTo(5);
    }

    /** The other rank has its memory, which may already name this life. */
    @Test
    void aRankThatHasToldIsNotHeardAgainInItsNextLifeOnceTheNumberIsChosen() {
        lives.note(0, 1, 3);
        lives.isChosen();
        lives.note(0, 2, INCARNATION);
        assertThat(lives.later()).isZero();
    }

    @Test
    void aLaterOneThatIsToldTooLateIsNotedForTheNextProcess() {
        lives.note(0, 1, 3);
        lives.isChosen();
        assertThat(lives.later()).isZero();
        lives.note(2, 1, INCARNATION);
        assertThat(lives.later()).isEqualTo(INCARNATION);
        assertThat(SegmentHeader.remembered(segment, RANK)).isEqualTo(INCARNATION);
    }

    /** A rank that has its memory knows its number. */
    @Test
    void whoHasNotChosenANumberIsNotWrong() {
        lives.note(0, 1, INCARNATION + 1);
        assertThat(lives.later()).isZero();
        assertThat(SegmentHeader.remembered(segment, RANK)).isZero();
    }
}
