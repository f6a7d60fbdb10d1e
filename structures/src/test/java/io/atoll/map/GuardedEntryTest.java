package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Wrapper;
import io.atoll.fabric.Batch;
import io.atoll.fabric.ImmediateBatch;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import io.atoll.world.Reservations.Undone;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/** What {@link BucketWriter} knows of a guarded entry after an error, by the undoing and the exchange's answer. */
class GuardedEntryTest {

    private final MappedMemory segment = new MappedMemory(Arena.ofAuto().allocate(64, Layouts.CACHE_LINE));
    private final ImmediateBatch batch = new ImmediateBatch((_, _) -> segment, Long.BYTES);
    private final int took = batch.compareAndExchange(0, 0, 0, 1);
    private final int failed = batch.compareAndExchange(0, 0, 0, 1);
    private final Batch unanswered = Wrapper.around(batch, Batch.class,
            call -> call.isOf("answered") || call.isOf("succeeded") ? false : call.proceed());

    @Test
    void anEntryIsStoredIfItsExchangeTookPlaceAndItIsNotReservedAnyMore() {
        assertThat(BucketWriter.undone(Undone.BEFORE, batch, took)).isEqualTo(Undone.BEFORE);
    }

    @Test
    void anEntryIsNotStoredIfItsExchangeFailedOrWasUndone() {
        assertThat(BucketWriter.undone(Undone.BEFORE, batch, failed)).isEqualTo(Undone.NOW);
        assertThat(BucketWriter.undone(Undone.NOW, batch, took)).isEqualTo(Undone.NOW);
        assertThat(BucketWriter.undone(Undone.NOW, unanswered, took)).isEqualTo(Undone.NOW);
    }

    /** The owner may have executed all of the frame, or nothing of it. So what was to be stored is not given back. */
    @Test
    void nobodyKnowsOfAnEntryThatIsNotReservedIfItsExchangeHasNoAnswer() {
        assertThat(BucketWriter.undone(Undone.BEFORE, unanswered, took)).isEqualTo(Undone.LATER);
        assertThat(BucketWriter.undone(Undone.LATER, batch, took)).isEqualTo(Undone.LATER);
    }

    @Test
    void anEntryOfWhichNothingWasAddedIsNotStored() {
        for (Undone undone : Undone.values()) {
            assertThat(BucketWriter.undone(undone, unanswered, BucketWriter.NOTHING_WRITTEN)).isEqualTo(Undone.NOW);
        }
    }
}
