package io.atoll.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.lock.CountLine;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Counts of locks are summed in parts, and each recovery is told once. */
class LockStatsTest {

    private static final int LOCKS = 2_000;
    private static final int PART = 512;
    // The last part also ends the round.
    private static final int PARTS = 4;
    private static final long OTHER = LOCKS * CountLine.SIZE;
    private static final int OTHER_LOCKS = 10;

    private final LocalMemory own = new MappedMemory(
            Arena.ofAuto().allocate(OTHER + OTHER_LOCKS * CountLine.SIZE, Layouts.CACHE_LINE));
    private final LockStats figures = new LockStats();

    private void add(long table, int lock, long word) {
        long at = table + lock * CountLine.SIZE + word;
        own.set(at, own.get(at) + 1);
    }

    private long acquisitions() {
        long[] values = new long[Series.values().length];
        figures.read(values);
        return values[Series.LOCK_ACQUISITIONS.ordinal()];
    }

    private static LockStats.Counts table() {
        return new LockStats.Counts(0, LOCKS);
    }

    private static LockStats.Counts other() {
        return new LockStats.Counts(OTHER, OTHER_LOCKS);
    }

    private void completeRound() {
        for (int part = 0; part < PARTS + 1; part++) {
            figures.goOn(own, PART);
        }
    }

    @Test
    void noCallSumsMoreThanItsPart() {
        for (int lock = 0; lock < LOCKS; lock++) {
            add(0, lock, CountLine.ACQUISITIONS);
        }
        figures.look(List.of(table()));
        for (int part = 0; part < PARTS - 1; part++) {
            figures.goOn(own, PART);
            assertThat(acquisitions()).as("after part %s", part).isZero();
        }
        figures.goOn(own, PART);
        assertThat(acquisitions()).isEqualTo(LOCKS);
    }

    @Test
    void whatWasSummedStaysAndWhatWasRecoveredIsToldOnceThoughTablesCome() {
        figures.look(List.of(table()));
        add(0, 7, CountLine.ACQUISITIONS);
        figures.goOn(own, Integer.MAX_VALUE);
        add(0, 7, CountLine.RECOVERIES);
        add(OTHER, 3, CountLine.RECOVERIES);
        figures.look(List.of(other(), table()));
        assertThat(acquisitions()).isOne();
        completeRound();
        assertThat(figures.newRecoveries()).isEqualTo(2);
        figures.look(List.of(table(), other()));
        completeRound();
        assertThat(figures.newRecoveries()).isZero();
    }
}
