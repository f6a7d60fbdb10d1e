package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes of different versions agree on the words and their places. */
class LockWordsTest {

    @Test
    void aLockIsACacheLine() {
        assertThat(new long[]{LockLine.REMOTE_TAIL, LockLine.LOCAL_TAIL, LockLine.VICTIM, LockLine.TOKEN,
            LockLine.ACKNOWLEDGED, LockLine.RECOVERIES, LockLine.RESTARTS, LockLine.REPAIRS, LockLine.SIZE})
                .containsExactly(0, 8, 16, 24, 32, 40, 48, 56, 64);
    }

    @Test
    void soIsARequest() {
        assertThat(new long[]{Descriptor.LOCK, Descriptor.PHASE, Descriptor.NEXT, Descriptor.GRANT,
            Descriptor.PREDECESSOR, Descriptor.SINCE, Descriptor.THREAD, Descriptor.SIZE})
                .containsExactly(0, 8, 16, 24, 32, 40, 48, 64);
        long lock = Descriptor.lock(0xFFFF, 0x1234_5678_9ABCL);
        assertThat(Descriptor.born(lock)).isEqualTo(0xFFFF);
        assertThat(Descriptor.index(lock)).isEqualTo(0x1234_5678_9ABCL);
    }

    @Test
    void beforeThemAreTwoWordsAndOneForEachRankThatMayBe() {
        assertThat(new long[]{Descriptor.headBytes(1), Descriptor.headBytes(6), Descriptor.headBytes(7),
            Descriptor.headBytes(4_096)}).containsExactly(64, 64, 128, 32_832);
    }

    @Test
    void behindThemAreNotesAndDemands() {
        assertThat(new long[]{Descriptor.notes(3, 8), Descriptor.demands(3, 8), Descriptor.tableBytes(3, 8)})
                .containsExactly(64 + 2 * 16 * 64, 64 + 2 * 16 * 64 + 16 * 128, 64 + 2 * 16 * 64 + 16 * 128 + 128);
    }

    @Test
    void aNoteIsTwoCacheLines() {
        assertThat(new long[]{Note.THREAD, Note.TURN, Note.GRANT, Note.KEY_TURN, Note.KEY, Note.KEY_BYTES, Note.SIZE})
                .containsExactly(0, 8, 16, 24, 32, 96, 128);
        assertThat(Note.turn(0)).isNotEqualTo(Note.NO_TURN);
    }

    @Test
    void aDemandIsHalfACacheLine() {
        assertThat(new long[]{Demand.ASKED, Demand.LOCK, Demand.TOKEN, Demand.ANSWER, Demand.SIZE})
                .containsExactly(0, 8, 16, 24, 32);
    }

    @Test
    void anAnswerNamesWhatItAnswers() {
        long asked = Demand.asked(0xFFFF, 7);
        assertThat(asked).isNotEqualTo(Demand.NOTHING)
                .isNotEqualTo(Demand.asked(0xFFFE, 7))
                .isNotEqualTo(Demand.asked(0xFFFF, 8));
        long answer = Demand.answer(asked, Demand.HOLDER_CHANGED);
        assertThat(Demand.isAnswered(asked, answer)).isTrue();
        assertThat(Demand.isAnswered(Demand.asked(0xFFFF, 8), answer)).isFalse();
        assertThat(Demand.outcome(answer)).isEqualTo(Demand.HOLDER_CHANGED);
    }

    @Test
    void aFencingTokenIsTakenApart() {
        long token = FencingToken.of(7, 123_456_789_012L);
        assertThat(FencingToken.born(token)).isEqualTo(7);
        assertThat(FencingToken.token(token)).isEqualTo(123_456_789_012L);
    }

    @Test
    void aFencingTokenIsLargerThanAllOfTheSegmentBefore() {
        long last = (1L << 47) - 1;
        assertThat(new long[]{FencingToken.of(1, 1), FencingToken.of(1, last), FencingToken.of(2, 1),
            FencingToken.of(65_535, last)}).isSorted().startsWith(1).endsWith(Long.MAX_VALUE - (1L << 47));
    }

    @Test
    void soAreTheCountsOfALock() {
        assertThat(new long[]{CountLine.ACQUISITIONS, CountLine.PASSES, CountLine.REACQUISITIONS, CountLine.WAITS,
            CountLine.WAITED, CountLine.LONGEST, CountLine.RECOVERIES, CountLine.SIZE})
                .containsExactly(0, 8, 16, 24, 32, 40, 48, 64);
    }

    @Test
    void aTailNamesItsDescriptorInItsEpoch() {
        long tail = Tail.descriptor(0xFFFF, 0xFFFE, 0xFFFD);
        assertThat(Tail.rank(tail)).isEqualTo(0xFFFF);
        assertThat(Tail.incarnation(tail)).isEqualTo(0xFFFE);
        assertThat(Tail.index(tail)).isEqualTo(0xFFFD);
        long later = Tail.inEpoch(3, tail);
        assertThat(Tail.isSameDescriptor(later, tail)).isTrue();
        assertThat(Tail.isOfSameEpoch(later, tail)).isFalse();
        assertThat(Tail.isClosed(later)).isFalse();
        long closed = Tail.closed(1, 2, 3);
        assertThat(Tail.isClosed(closed)).isTrue();
        assertThat(Tail.closedAndFree(closed)).isNotEqualTo(closed).satisfies(free -> {
            assertThat(Tail.isClosed(free)).isTrue();
            assertThat(Tail.rank(free)).isEqualTo(1);
            assertThat(Tail.incarnation(free)).isEqualTo(2);
        });
    }

    @Test
    void aTailOfAnOwnersThreadNamesTheTurn() {
        long descriptor = Tail.descriptor(0xFFFF, 0xFFFE, 0xFFFD);
        long tail = Tail.inTurn(0x3FFF, descriptor);
        assertThat(tail).isEqualTo(Tail.inTurn(0x1FFF, descriptor)).isNotEqualTo(Tail.inTurn(0x1FFE, descriptor));
        assertThat(Tail.isSameDescriptor(tail, descriptor)).isTrue();
        assertThat(Tail.ofNextTurn(tail)).isEqualTo(Tail.inTurn(0x4000, descriptor));
    }

    @Test
    void aTailOfOneThatStandsBehindOthersIsNoneOfOneThatIsAlone() {
        long descriptor = Tail.descriptor(1, 2, 3);
        long alone = Tail.inTurn(5, descriptor);
        long behind = Tail.inEpochOf(Tail.inEpochOf(alone, Tail.descriptor(1, 2, 4)), descriptor);
        assertThat(behind).isNotEqualTo(alone);
        assertThat(Tail.isOfSameEpoch(behind, alone)).isTrue();
        assertThat(Tail.isSameDescriptor(behind, alone)).isTrue();
        assertThat(Tail.inTurn(0, descriptor)).isNotEqualTo(Tail.inEpochOf(Tail.FREE, descriptor));
        assertThat(Tail.isClosed(alone)).isFalse();
    }

    @Test
    void fewerThreadsThanDescriptorsKeepOne() {
        assertThat(new int[]{Descriptor.kept(1), Descriptor.kept(7), Descriptor.kept(64), Descriptor.kept(65_472)})
                .containsExactly(1, 4, 64, 64);
    }

    @Test
    void aTableKnowsWhereItsLocksLie() {
        var layout = new TableLayout(3, 64, 10, 4, true);
        assertThat(layout.owner(7)).isEqualTo(1);
        assertThat(layout.line(7)).isEqualTo(128);
        assertThat(layout.requests()).isEqualTo(4 * 64);
        assertThat(layout.counts()).isEqualTo(4 * 64 + 576 + 2 * (4 + 4) * 64 + (4 + 4) * 128 + 64 * 32);
        assertThat(layout.notes()).isEqualTo(4 * 64 + 576 + 2 * (4 + 4) * 64);
        assertThat(layout.demands()).isEqualTo(layout.notes() + (4 + 4) * 128);
        assertThat(layout.bytes()).isEqualTo(layout.counts() + 10 * 64);
        assertThat(TableLayout.of(3, 64, "lock-table algorithm=ALOCK " + layout)).isEqualTo(layout);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1_000, 65_535, 65_536})
    void theRowOfALockIsItsIndexDividedByTheRanks(int ranks) {
        long most = (1L << 61) / ranks - 1;
        LongStream
                .of(0, 1, ranks - 1, ranks, ranks + 1, 123_456_789, most / ranks * ranks - 1, most / ranks * ranks,
                        most)
                .forEach(index -> assertThat(TableLayout.row(index, TableLayout.reciprocal(ranks)))
                        .isEqualTo(index / ranks));
    }
}
