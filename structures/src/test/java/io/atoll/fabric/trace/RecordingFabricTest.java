package io.atoll.fabric.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.WordTest;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.Journal.Entry;
import io.atoll.fabric.trace.Journal.Kind;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class RecordingFabricTest {

    private static final Guarantees WITH_FETCH_OR = new Guarantees(AtomicDomain.FABRIC_ONLY, 8, false, true, false);
    private static final Guarantees WITHOUT_FETCH_OR = new Guarantees(AtomicDomain.FABRIC_ONLY, 64, true, false, false);

    private final Fabric wrapped = new Simulation(1, SimOptions.ranks(3)).fabric(0);
    private final RecordingFabric fabric = new RecordingFabric(wrapped);
    private final MemorySegment words = MemorySegment.ofArray(new long[8]);

    @Test
    void aVerbThatReturnsAValueIsARoundTrip() {
        Journal journal = fabric.record(() -> {
            fabric.compareAndExchange(1, 128, 0, 7);
            fabric.getAndAdd(1, 128, 1);
            fabric.readWord(2, 64);
            fabric.read(1, 128, words, 0, 24);
        });

        assertThat(journal.entries()).containsExactly(new Entry(Kind.A, 1, 128, 8), new Entry(Kind.A, 1, 128, 8),
                new Entry(Kind.R, 2, 64, 8), new Entry(Kind.R, 1, 128, 24));
        assertThat(journal.roundTrips()).isEqualTo(4);
        assertThat(journal.atomics()).isEqualTo(2);
        assertThat(journal.reads()).isEqualTo(2);
        assertThat(journal.writes()).isZero();
        assertThat(journal.bytes()).isEqualTo(48);
        assertThat(journal.ranks()).containsExactly(1, 2);
        assertThat(words.getAtIndex(java.lang.foreign.ValueLayout.JAVA_LONG, 0)).isEqualTo(8);
    }

    @Test
    void aWriteIsARoundTripWhenItIsFlushed() {
        assertThat(fabric.record(() -> fabric.writeWord(1, 128, 7)).roundTrips()).isZero();
        assertThat(fabric.record(() -> {
            fabric.writeWord(1, 128, 7);
            fabric.write(1, 136, words, 0, 24);
            fabric.flush(1);
        })).hasToString("W 1+128, W 1+136 (24 bytes); 1 round trip; rank 1");
        assertThat(fabric.record(() -> {
            fabric.writeWord(1, 128, 7);
            fabric.writeWord(2, 128, 7);
            fabric.flush();
        })).hasToString("W 1+128, W 2+128; 1 round trip; ranks 1, 2");
    }

    @Test
    void aFlushIsNoRoundTripWhenNothingIsUnderWay() {
        assertThat(fabric.record(() -> {
            fabric.writeWord(1, 128, 7);
            fabric.readWord(1, 128);
            fabric.flush(1);
            fabric.flush();
        })).hasToString("W 1+128, R 1+128; 1 round trip; rank 1");
    }

    @Test
    void aBatchIsOneRoundTrip() {
        Journal journal = fabric.record(() -> {
            Batch batch = fabric.batch();
            batch.setWord(0, 5);
            batch.write(1, 136, 0, 24);
            batch.writeWord(1, 128, 7);
            batch.read(1, 128, 64, 32);
            int added = batch.getAndAdd(2, 8, 1);
            int exchanged = batch.compareAndExchange(2, 8, 1, 9);
            batch.complete();
            assertThat(batch.word(64)).isEqualTo(7);
            assertThat(batch.word(72)).isEqualTo(5);
            assertThat(batch.result(added)).isZero();
            assertThat(batch.result(exchanged)).isEqualTo(1);
        });

        assertThat(journal).hasToString(
                "W 1+136 (24 bytes), W 1+128, R 1+128 (32 bytes), A 2+8, A 2+8; 1 round trip; ranks 1, 2");
    }

    @Test
    void aBatchThatIsPostedAndPolledIsOneRoundTrip() {
        Journal journal = fabric.record(() -> {
            try (Batch batch = fabric.newBatch(64)) {
                batch.read(1, 128, 0, 8);
                batch.post();
                while (!batch.poll()) {
                    fabric.clock().pause(0);
                }
                batch.complete();
            }
        });

        assertThat(journal).hasToString("R 1+128; 1 round trip; rank 1");
    }

    private Journal insertionBy(RecordingFabric recording, long expected) {
        return recording.record(() -> {
            Batch batch = recording.batch();
            int first = batch.compareAndExchange(1, 128, expected, 7);
            int second = batch.compareAndExchange(1, 256, 0, 7);
            batch.guard(first);
            batch.writeWord(1, 136, 5);
            batch.guard(second);
            batch.writeWord(1, 264, 5);
            batch.unguard();
            batch.read(1, 256, 0, 8);
            batch.complete();
        });
    }

    @Test
    void aGuardIsOneMoreRoundTripWhereTheOwnerDoesNotDecide() {
        String verbs = "A 1+128, A 1+256, W 1+136 if succeeded, W 1+264 if succeeded, R 1+256; ";
        assertThat(insertionBy(fabric, 0)).hasToString(verbs + "2 round trips; rank 1");
        wrapped.writeWord(1, 128, 0);
        wrapped.writeWord(1, 256, 0);
        var atOwner = new RecordingFabric(wrapped, SimOptions.SHARED_MEMORY);
        assertThat(insertionBy(atOwner, 0)).hasToString(verbs + "1 round trip; rank 1");
    }

    private static Journal additionBy(RecordingFabric by) {
        return by.record(() -> {
            Batch batch = by.batch();
            WordTest.putEqual(batch, 0, 0, 7);
            batch.guard(batch.search(1, 128, 16, 4, 0, 1));
            int exchange = batch.exchangeFound(1, 128, -1, 1);
            batch.guard(exchange);
            batch.writeWord(1, 136, 5);
            batch.complete();
            assertThat(batch.succeeded(exchange)).isTrue();
            assertThat(by.readWord(1, 152)).isEqualTo(5);
        });
    }

    @Test
    void aSearchIsAReadOfAllRecordsAndOneMoreRoundTripWhereTheOwnerDoesNotDecide() {
        String verbs = "R 1+128 (64 bytes), A 1+128 if succeeded, W 1+136 if succeeded, R 1+152; ";
        wrapped.writeWord(1, 144, 7);
        assertThat(additionBy(fabric)).hasToString(verbs + "4 round trips; rank 1");
        wrapped.writeWord(1, 144, 7);
        var atOwner = new RecordingFabric(wrapped, SimOptions.SHARED_MEMORY);
        assertThat(additionBy(atOwner)).hasToString(verbs + "2 round trips; rank 1");
    }

    private static Journal recordsBy(RecordingFabric by) {
        return by.record(() -> {
            Batch batch = by.batch();
            batch.read(1, 256, 0, 8);
            batch.readRecords(1, 128, 16, 4, 64);
            batch.complete();
        });
    }

    @Test
    void aReadOfRecordsIsOneReadAndTwoMoreRoundTripsWhereTheOwnerDoesNotDecide() {
        String verbs = "R 1+256, R 1+128 (96 bytes); ";
        assertThat(recordsBy(fabric)).hasToString(verbs + "3 round trips; rank 1");
        var atOwner = new RecordingFabric(wrapped, SimOptions.SHARED_MEMORY);
        assertThat(recordsBy(atOwner)).hasToString(verbs + "1 round trip; rank 1");
    }

    @Test
    void whatABatchKnowsToBeSkippedIsNoVerb() {
        assertThat(insertionBy(fabric, 3))
                .hasToString("A 1+128, A 1+256, W 1+264 if succeeded, R 1+256; 2 round trips; rank 1");
    }

    @Test
    void anEmptyBatchIsNone() {
        assertThat(fabric.record(() -> fabric.batch().complete())).hasToString("no verb");
    }

    @Test
    void fetchOrIsOneAtomicWhereItIsDeclared() {
        var strong = new RecordingFabric(wrapped, WITH_FETCH_OR);

        assertThat(strong.record(() -> strong.getAndBitwiseOr(1, 128, 6)))
                .hasToString("A 1+128; 1 round trip; rank 1");
        assertThat(wrapped.readWord(1, 128)).isEqualTo(6);
    }

    @Test
    void fetchOrIsAReadAndAnAtomicElsewhereAndOnlyAReadIfTheBitsAreSet() {
        var weak = new RecordingFabric(wrapped, WITHOUT_FETCH_OR);

        assertThat(weak.record(() -> weak.getAndBitwiseOr(1, 128, 6)))
                .hasToString("R 1+128, A 1+128; 2 round trips; rank 1");
        assertThat(weak.record(() -> weak.getAndBitwiseOr(1, 128, 2)))
                .hasToString("R 1+128; 1 round trip; rank 1");
    }

    @Test
    void otherGuaranteesMayBeDeclared() {
        assertThat(new RecordingFabric(wrapped, WITHOUT_FETCH_OR).guarantees()).isEqualTo(WITHOUT_FETCH_OR);
        assertThat(fabric.guarantees()).isEqualTo(wrapped.guarantees());
    }

    @Test
    void otherThreadsAreNotRecorded() throws InterruptedException {
        Thread other = Thread.ofPlatform().start(() -> {
            fabric.getAndAdd(1, 128, 5);
            Batch batch = fabric.batch();
            batch.getAndAdd(1, 128, 5);
            batch.complete();
        });
        other.join();

        assertThat(fabric.journal()).hasToString("no verb");
        assertThat(fabric.readWord(1, 128)).isEqualTo(10);
    }

    @Test
    void theOwnMemoryIsNotRecorded() {
        assertThat(fabric.record(() -> fabric.local().setRelease(128, 5))).hasToString("no verb");
        assertThat(wrapped.readWord(0, 128)).isEqualTo(5);
    }

    @Test
    void whatFailsIsNotRecorded() {
        try {
            fabric.readWord(1, 4);
        } catch (IllegalArgumentException unaligned) {
            assertThat(fabric.journal()).hasToString("no verb");
            return;
        }
        throw new AssertionError("an unaligned offset must be refused");
    }
}
