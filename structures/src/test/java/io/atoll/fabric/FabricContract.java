package io.atoll.fabric;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.atoll.fabric.recording.RecordingFabric;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every promise of {@link Fabric}, {@link Batch}, {@link Guarantees} and {@link Endpoint}, for the test of every fabric to extend. Rank 0 acts
 * upon its own segment as well as upon rank 1's.
 */
public abstract class FabricContract extends ConcurrentRanks {

    private static final long[] VALUES = {0, 1, -1, 0x0123_4567_89AB_CDEFL, Long.MIN_VALUE, Long.MAX_VALUE};
    private static final long[] SIZES = {8, 16, 24, 56, 64, 72, 128, 192, 248, 256, 264, 512, 4096};
    private static final int THREADS = 3;

    /** The n-th word that tests use, each on a cache line of its own. */
    private long line(int n) {
        return freeOffset() + 64L * n;
    }

    private static MemorySegment words(long bytes) {
        return MemorySegment.ofArray(new long[(int) (bytes / 8)]);
    }

    // --- who is who ---

    @Test
    void everyRankKnowsItselfAndTheWorld() {
        for (int rank = 0; rank < 2; rank++) {
            assertThat(fabric(rank).rank()).isEqualTo(rank);
            assertThat(fabric(rank).size()).isGreaterThan(absentRank());
            assertThat(fabric(rank).local().size()).isGreaterThanOrEqualTo(freeOffset() + (64 << 10));
        }
    }

    // --- verbs of one word ---

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aWordThatWasWrittenIsRead(int target) throws Exception {
        together(at(0, fabric -> {
            for (long value : VALUES) {
                fabric.writeWord(target, line(0), value);
                assertThat(fabric.readWord(target, line(0))).isEqualTo(value);
            }
        }));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void theFirstAndTheLastWordOfASegmentCanBeUsed(int target) throws Exception {
        long last = fabric(target).local().size() - 8;
        together(at(0, fabric -> {
            fabric.readWord(target, 0);
            fabric.writeWord(target, last, 7);
            assertThat(fabric.getAndAdd(target, last, 1)).isEqualTo(7);
            assertThat(fabric.readWord(target, last)).isEqualTo(8);
        }));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void compareAndExchangeReturnsWhatWasThereAndExchangesOnlyWhatWasExpected(int target) throws Exception {
        together(at(0, fabric -> {
            long before = 0;
            for (long value : VALUES) {
                assertThat(fabric.compareAndExchange(target, line(0), before + 1, 99)).isEqualTo(before);
                assertThat(fabric.readWord(target, line(0))).isEqualTo(before);
                assertThat(fabric.compareAndExchange(target, line(0), before, value)).isEqualTo(before);
                assertThat(fabric.readWord(target, line(0))).isEqualTo(value);
                before = value;
            }
        }));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void getAndAddReturnsWhatWasThere(int target) throws Exception {
        together(at(0, fabric -> {
            long sum = 0;
            for (long delta : VALUES) {
                assertThat(fabric.getAndAdd(target, line(0), delta)).isEqualTo(sum);
                sum += delta;
            }
            assertThat(fabric.readWord(target, line(0))).isEqualTo(sum);
        }));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void getAndBitwiseOrReturnsWhatWasThere(int target) throws Exception {
        together(at(0, fabric -> {
            assertThat(fabric.getAndBitwiseOr(target, line(0), 0b0110)).isZero();
            assertThat(fabric.getAndBitwiseOr(target, line(0), 0b0010)).isEqualTo(0b0110);
            assertThat(fabric.getAndBitwiseOr(target, line(0), 0b1010)).isEqualTo(0b0110);
            assertThat(fabric.getAndBitwiseOr(target, line(0), Long.MIN_VALUE)).isEqualTo(0b1110);
            assertThat(fabric.readWord(target, line(0))).isEqualTo(Long.MIN_VALUE | 0b1110);
        }));
    }

    // --- reads and writes of many words ---

    /** Every size at every place of a line: what was written is read, what lies beside it is left alone, here and there. */
    private void movesExactlyWhatItShall(int target, Mover mover) throws Exception {
        together(at(0, fabric -> {
            for (long bytes : SIZES) {
                for (long shift : new long[]{0, 8, 56}) {
                    moveOnce(fabric, target, mover, bytes, shift);
                }
            }
        }));
    }

    private interface Mover {
        void move(Fabric fabric, int target, long offset, MemorySegment from, MemorySegment into, long position,
                long bytes);
    }

    private void moveOnce(Fabric fabric, int target, Mover mover, long bytes, long shift) {
        long offset = line(1) + shift;
        long position = 72 - shift;
        MemorySegment from = words(4352);
        MemorySegment into = words(4352);
        for (long at = 0; at < from.byteSize(); at += 8) {
            from.set(JAVA_LONG, at, bytes * 1_000 + at);
            into.set(JAVA_LONG, at, -2);
        }
        fabric.writeWord(target, offset - 8, -1);
        fabric.writeWord(target, offset + bytes, -1);

        mover.move(fabric, target, offset, from, into, position, bytes);

        for (long at = 0; at < into.byteSize(); at += 8) {
            boolean inside = at >= position && at < position + bytes;
            assertThat(into.get(JAVA_LONG, at)).isEqualTo(inside ? from.get(JAVA_LONG, at) : -2);
        }
        assertThat(fabric.readWord(target, offset - 8)).isEqualTo(-1);
        assertThat(fabric.readWord(target, offset + bytes)).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void readsAndWritesMoveExactlyWhatTheyShall(int target) throws Exception {
        movesExactlyWhatItShall(target, (fabric, rank, offset, from, into, position, bytes) -> {
            fabric.write(rank, offset, from, position, bytes);
            fabric.read(rank, offset, into, position, bytes);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void readsAndWritesOfABatchMoveExactlyWhatTheyShall(int target) throws Exception {
        movesExactlyWhatItShall(target, (fabric, rank, offset, from, into, position, bytes) -> {
            Batch batch = fabric.batch();
            MemorySegment.copy(from, 0, batch.buffer(), 0, from.byteSize());
            batch.write(rank, offset, position, bytes);
            batch.complete();
            batch.buffer().copyFrom(into);
            batch.read(rank, offset, position, bytes);
            batch.complete();
            MemorySegment.copy(batch.buffer(), 0, into, 0, into.byteSize());
        });
    }

    @Test
    void theSourceOfAWriteMayBeUsedAgainWhenItReturns() throws Exception {
        together(at(0, fabric -> {
            MemorySegment source = words(512);
            for (long value = 1; value <= 20; value++) {
                for (long at = 0; at < 512; at += 8) {
                    source.set(JAVA_LONG, at, value);
                }
                fabric.write(1, line(1) + 512 * value, source, 0, 512);
            }
            for (long value = 1; value <= 20; value++) {
                assertThat(fabric.readWord(1, line(1) + 512 * value + 8 * value)).isEqualTo(value);
            }
        }));
    }

    // --- batches ---

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void verbsOfABatchTakeEffectInTheirOrder(int target) throws Exception {
        together(at(0, fabric -> {
            Batch batch = fabric.batch();
            batch.setWord(0, 5);
            batch.write(target, line(0), 0, 8);
            int added = batch.getAndAdd(target, line(0), 10);
            batch.read(target, line(0), 8, 8);
            int refused = batch.compareAndExchange(target, line(0), 5, 99);
            int exchanged = batch.compareAndExchange(target, line(0), 15, 20);
            batch.writeWord(target, line(1), 7);
            batch.read(target, line(0), 16, 8);
            batch.read(target, line(1), 24, 8);
            batch.complete();

            assertThat(List.of(added, refused, exchanged)).containsExactly(0, 1, 2);
            assertThat(batch.result(added)).isEqualTo(5);
            assertThat(batch.result(refused)).isEqualTo(15);
            assertThat(batch.result(exchanged)).isEqualTo(15);
            assertThat(batch.word(8)).isEqualTo(15);
            assertThat(batch.word(16)).isEqualTo(20);
            assertThat(batch.word(24)).isEqualTo(7);
        }));
    }

    @Test
    void aBatchReachesSeveralRanks() throws Exception {
        together(at(0, fabric -> {
            Batch batch = fabric.batch();
            batch.writeWord(0, line(0), 10);
            batch.writeWord(1, line(0), 11);
            batch.read(0, line(0), 0, 8);
            batch.read(1, line(0), 8, 8);
            batch.complete();
            assertThat(batch.word(0)).isEqualTo(10);
            assertThat(batch.word(8)).isEqualTo(11);
        }));
    }

    @Test
    void aCompletedBatchIsEmptyAndKeepsItsBuffer() throws Exception {
        together(at(0, fabric -> {
            Batch batch = fabric.batch();
            batch.complete();
            batch.setWord(32, 5);
            batch.getAndAdd(1, line(0), 1);
            batch.complete();
            batch.complete();
            assertThat(fabric.readWord(1, line(0))).as("completed once").isEqualTo(1);
            int next = batch.getAndAdd(1, line(0), 1);
            batch.complete();
            assertThat(next).isZero();
            assertThat(batch.result(next)).isEqualTo(1);
            assertThat(batch.word(32)).isEqualTo(5);
        }));
    }

    @Test
    void aBatchHoldsAsManyAtomicsAndBytesAsItSays() throws Exception {
        together(at(0, fabric -> {
            Batch batch = fabric.batch();
            assertThat(batch.buffer().byteSize()).isGreaterThanOrEqualTo(Batch.THREAD_BUFFER_BYTES);
            for (int i = 0; i < Batch.ATOMICS; i++) {
                batch.getAndAdd(1, line(i), i + 1);
            }
            batch.complete();
            for (int i = 0; i < Batch.ATOMICS; i++) {
                batch.getAndAdd(1, line(i), 0);
            }
            batch.complete();
            for (int i = 0; i < Batch.ATOMICS; i++) {
                assertThat(batch.result(i)).isEqualTo(i + 1);
            }
            assertThat(fabric.newBatch(100 << 10).buffer().byteSize()).isGreaterThanOrEqualTo(100 << 10);
        }));
    }

    @Test
    void aPostedBatchIsDoneWhenItsPollSaysSo() throws Exception {
        together(at(0, fabric -> {
            List<Batch> underWay = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Batch batch = fabric.newBatch(64);
                batch.setWord(0, i);
                batch.write(1, line(i), 0, 8);
                batch.read(1, line(i), 8, 8);
                batch.getAndAdd(1, line(10), 1);
                batch.post();
                underWay.add(batch);
            }
            for (int i = 0; i < 4; i++) {
                Batch batch = underWay.get(i);
                await(fabric, batch::poll);
                assertThat(batch.word(8)).isEqualTo(i);
                assertThat(batch.result(0)).isEqualTo(i);
            }
            underWay.getFirst().writeWord(1, line(0), 77);
            underWay.getFirst().post();
            underWay.getFirst().complete();
            assertThat(fabric.readWord(1, line(0))).isEqualTo(77);
            underWay.forEach(Batch::close);
        }));
    }

    @Test
    void everyThreadHasABatchOfItsOwn() throws Exception {
        var meeting = new Meeting(THREADS);
        List<Actor> actors = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            int mine = thread + 1;
            actors.add(at(0, fabric -> {
                for (int i = 0; i < 10; i++) {
                    Batch batch = fabric.batch();
                    batch.setWord(0, mine);
                    meeting.await(fabric);
                    batch.write(1, line(mine), 0, 8);
                    batch.read(1, line(mine), 8, 8);
                    batch.complete();
                    assertThat(batch.word(8)).isEqualTo(mine);
                }
            }));
        }
        together(actors);
    }

    // --- order ---

    private interface Finish {
        void finish(Fabric fabric);
    }

    private void hasArrivedAfter(Finish finish) throws Exception {
        var meeting = new Meeting(2);
        together(at(0, fabric -> {
            for (long round = 1; round <= rounds(); round++) {
                fabric.writeWord(1, line(0), round);
                finish.finish(fabric);
                meeting.await(fabric);
                meeting.await(fabric);
            }
        }), at(1, fabric -> {
            for (long round = 1; round <= rounds(); round++) {
                meeting.await(fabric);
                assertThat(fabric.readWord(1, line(0))).isEqualTo(round);
                meeting.await(fabric);
            }
        }));
    }

    @Test
    void aFlushedWriteHasArrived() throws Exception {
        hasArrivedAfter(fabric -> fabric.flush(1));
        hasArrivedAfter(Fabric::flush);
    }

    @Test
    void aWriteHasArrivedWhenALaterAtomicReturned() throws Exception {
        hasArrivedAfter(fabric -> fabric.getAndAdd(1, line(5), 1));
    }

    @Test
    void aWriteHasArrivedWhenALaterReadReturned() throws Exception {
        assumeTrue(readsWaitForWrites());
        hasArrivedAfter(fabric -> fabric.readWord(1, line(5)));
    }

    @Test
    void aWriteOfABatchHasArrivedWhenTheBatchIsComplete() throws Exception {
        hasArrivedAfter(fabric -> {
            Batch batch = fabric.batch();
            batch.writeWord(1, line(5), 1);
            batch.complete();
        });
    }

    @Test
    void aFlushWaitsForTheWritesOfOtherThreadsToo() throws Exception {
        var written = new AtomicBoolean();
        together(at(0, fabric -> {
            fabric.writeWord(1, line(0), 5);
            written.set(true);
        }), at(0, fabric -> {
            await(fabric, written::get);
            fabric.flush(1);
            assertThat(fabric(0).readWord(1, line(0))).isEqualTo(5);
        }));
    }

    /** Rank 0 writes payload and flag, again and again; what rank 1 sees of the payload is never older than the flag. */
    private void payloadIsNeverOlderThanItsFlag(long payloadBytes, Writer writer, Reader reader) throws Exception {
        var done = new AtomicBoolean();
        together(at(0, fabric -> {
            MemorySegment payload = words(payloadBytes);
            for (long round = 1; round <= rounds(); round++) {
                for (long at = 0; at < payloadBytes; at += 8) {
                    payload.set(JAVA_LONG, at, round);
                }
                writer.write(fabric, payload, round);
            }
            done.set(true);
        }), at(1, fabric -> {
            MemorySegment payload = words(payloadBytes);
            do {
                long flag = reader.read(fabric, payload);
                for (long at = 0; at < payloadBytes; at += 8) {
                    assertThat(payload.get(JAVA_LONG, at)).isGreaterThanOrEqualTo(flag);
                }
            } while (!done.get());
        }));
    }

    private interface Writer {
        void write(Fabric fabric, MemorySegment payload, long flag);
    }

    private interface Reader {
        long read(Fabric fabric, MemorySegment payload);
    }

    private void writePayloadThenFlag(Fabric fabric, MemorySegment payload, long flag) {
        fabric.write(1, line(8), payload, 0, payload.byteSize());
        fabric.writeWord(1, line(0), flag);
    }

    private void writePayloadThenFlagInOneBatch(Fabric fabric, MemorySegment payload, long flag) {
        Batch batch = fabric.batch();
        batch.buffer().asSlice(0, payload.byteSize()).copyFrom(payload);
        batch.write(1, line(8), 0, payload.byteSize());
        batch.writeWord(1, line(0), flag);
        batch.complete();
    }

    private long readFlagThenPayload(Fabric fabric, MemorySegment payload) {
        long flag = fabric.readWord(1, line(0));
        fabric.read(1, line(8), payload, 0, payload.byteSize());
        return flag;
    }

    private long readFlagThenPayloadInOneBatch(Fabric fabric, MemorySegment payload) {
        Batch batch = fabric.batch();
        batch.read(1, line(0), payload.byteSize(), 8);
        batch.read(1, line(8), 0, payload.byteSize());
        batch.complete();
        payload.copyFrom(batch.buffer().asSlice(0, payload.byteSize()));
        return batch.word(payload.byteSize());
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 64, 1024})
    void writesArriveInTheirOrder(long payloadBytes) throws Exception {
        payloadIsNeverOlderThanItsFlag(payloadBytes, this::writePayloadThenFlag, this::readFlagThenPayload);
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 64, 1024})
    void writesOfABatchArriveInTheirOrder(long payloadBytes) throws Exception {
        payloadIsNeverOlderThanItsFlag(payloadBytes, this::writePayloadThenFlagInOneBatch, this::readFlagThenPayload);
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 64, 1024})
    void readsOfABatchKeepTheirOrderWhereTheFabricSaysSo(long payloadBytes) throws Exception {
        assumeTrue(fabric(1).guarantees().readsInOrder());
        payloadIsNeverOlderThanItsFlag(payloadBytes, this::writePayloadThenFlag, this::readFlagThenPayloadInOneBatch);
    }

    /**
     * Two ranks write a word each and then look at the other's, again and again: who did not see the other's next write had written before
     * it, so the other must see that.
     */
    private void isNotOvertakenByALaterRead(WordWriter writer) throws Exception {
        int rounds = 20 * rounds();
        long[][] seen = new long[2][rounds + 1];
        List<Actor> actors = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            int me = rank;
            actors.add(at(me, fabric -> {
                for (int round = 1; round <= rounds; round++) {
                    fabric.readWord(1, line(1 - me)); // so that it lies in this processor's cache when it is read again
                    writer.write(fabric, line(me), round);
                    seen[me][round] = fabric.readWord(1, line(1 - me));
                }
            }));
        }
        together(actors);
        for (int round = 1; round <= rounds; round++) {
            int next = (int) seen[0][round] + 1;
            if (next <= rounds) {
                assertThat(seen[1][next]).as("rounds " + round + ", " + next).isGreaterThanOrEqualTo(round);
            }
        }
    }

    private interface WordWriter {
        void write(Fabric fabric, long offset, long value);
    }

    @Test
    void aWriteIsNotOvertakenByALaterReadOfItsThread() throws Exception {
        assumeTrue(readsWaitForWrites());
        isNotOvertakenByALaterRead((fabric, offset, value) -> fabric.writeWord(1, offset, value));
    }

    @Test
    void aFlushedWriteIsNotOvertakenByALaterReadOfItsThread() throws Exception {
        isNotOvertakenByALaterRead((fabric, offset, value) -> {
            fabric.writeWord(1, offset, value);
            fabric.flush(1);
        });
    }

    @Test
    void aCompletedBatchIsNotOvertakenByALaterReadOfItsThread() throws Exception {
        isNotOvertakenByALaterRead((fabric, offset, value) -> {
            Batch batch = fabric.batch();
            batch.writeWord(1, offset, value);
            batch.complete();
        });
    }

    @Test
    void whatLiesWithinTheDeclaredWidthArrivesWhole() throws Exception {
        int width = fabric(0).guarantees().atomicReadBytes();
        var done = new AtomicBoolean();
        together(at(0, fabric -> {
            MemorySegment block = words(width);
            for (long round = 1; round <= rounds(); round++) {
                for (long at = 0; at < width; at += 8) {
                    block.set(JAVA_LONG, at, round << 32 | round);
                }
                fabric.write(1, line(0), block, 0, width);
            }
            done.set(true);
        }), at(1, fabric -> {
            MemorySegment block = words(width);
            do {
                fabric.read(1, line(0), block, 0, width);
                for (long at = 0; at < width; at += 8) {
                    assertThat(block.get(JAVA_LONG, at)).isEqualTo(block.get(JAVA_LONG, 0));
                }
                assertThat(block.get(JAVA_LONG, 0) >>> 32).isEqualTo(block.get(JAVA_LONG, 0) & 0xFFFF_FFFFL);
            } while (!done.get());
        }));
    }

    // --- atomics among each other ---

    /** Threads of both ranks, each told apart by its number. */
    private void everywhere(NumberedBody body) throws Exception {
        List<Actor> actors = new ArrayList<>();
        for (int i = 0; i < 2 * THREADS; i++) {
            int number = i;
            actors.add(at(i % 2, fabric -> body.run(fabric, number)));
        }
        together(actors);
    }

    private interface NumberedBody {
        void run(Fabric fabric, int number);
    }

    @Test
    void noAdditionIsLost() throws Exception {
        everywhere((fabric, number) -> {
            for (int i = 0; i < rounds(); i++) {
                if (i % 2 == 0) {
                    fabric.getAndAdd(1, line(0), 1);
                } else {
                    Batch batch = fabric.batch();
                    batch.getAndAdd(1, line(0), 1);
                    batch.complete();
                }
            }
        });
        assertThat(fabric(0).readWord(1, line(0))).isEqualTo(2L * THREADS * rounds());
    }

    @Test
    void oneOfManyExchangesWins() throws Exception {
        var won = new AtomicLong();
        everywhere((fabric, number) -> {
            long count = 0;
            while (count < rounds()) {
                long found = fabric.compareAndExchange(1, line(0), count, count + 1);
                if (found == count) {
                    won.incrementAndGet();
                }
                count = found == count ? count + 1 : found;
            }
        });
        assertThat(won.get()).isEqualTo(rounds());
        assertThat(fabric(0).readWord(1, line(0))).isEqualTo(rounds());
    }

    @Test
    void everyBitIsNewToOneThreadOnly() throws Exception {
        var newToMe = new AtomicInteger();
        everywhere((fabric, number) -> {
            for (int bit = 0; bit < 64; bit++) {
                long mask = 1L << (bit + number) % 64;
                if ((fabric.getAndBitwiseOr(1, line(0), mask) & mask) == 0) {
                    newToMe.incrementAndGet();
                }
            }
        });
        assertThat(newToMe.get()).isEqualTo(64);
        assertThat(fabric(0).readWord(1, line(0))).isEqualTo(-1);
    }

    @Test
    void endpointsOfTheOwnerAndOfOthersLoseNothing() throws Exception {
        everywhere((fabric, number) -> {
            var endpoint = new Endpoint(fabric);
            for (int i = 0; i < rounds(); i++) {
                endpoint.getAndAdd(1, line(0), 1);
                endpoint.getAndBitwiseOr(1, line(1), 1L << i % 64);
                Batch batch = endpoint.batch(1);
                batch.getAndAdd(1, line(0), 1);
                batch.complete();
            }
        });
        assertThat(fabric(0).readWord(1, line(0))).isEqualTo(4L * THREADS * rounds());
    }

    // --- atomics, reads and writes of the fabric beside those of the CPU: ALock, table 1 ---

    /** Rank 1 owns the word and uses it by the CPU, rank 0 by the fabric. */
    private void beside(Consumer<Fabric> byTheCpu, Consumer<Fabric> byTheFabric) throws Exception {
        together(at(1, byTheCpu::accept), at(0, byTheFabric::accept));
    }

    private void repeat(Consumer<Long> action) {
        for (long round = 1; round <= rounds(); round++) {
            action.accept(round);
        }
    }

    private static final long BOTH_HALVES = 1L << 32 | 1;

    private static void isWhole(long word) {
        assertThat(word >>> 32).isEqualTo(word & 0xFFFF_FFFFL);
    }

    @Test
    void localReadAndRemoteWriteAreAtomic() throws Exception {
        beside(cpu -> repeat(round -> isWhole(cpu.local().getAcquire(line(0)))),
                fabric -> repeat(round -> fabric.writeWord(1, line(0), round * BOTH_HALVES)));
    }

    @Test
    void localWriteAndRemoteReadAreAtomic() throws Exception {
        beside(cpu -> repeat(round -> cpu.local().setRelease(line(0), round * BOTH_HALVES)),
                fabric -> repeat(round -> isWhole(fabric.readWord(1, line(0)))));
    }

    @Test
    void localWriteAndRemoteWriteAreAtomic() throws Exception {
        beside(cpu -> repeat(round -> {
            cpu.local().setVolatile(line(0), round * BOTH_HALVES);
            isWhole(cpu.local().getAcquire(line(0)));
        }), fabric -> repeat(round -> {
            fabric.writeWord(1, line(0), (rounds() + round) * BOTH_HALVES);
            fabric.flush(1);
        }));
    }

    @Test
    void localReadAndRemoteUpdateAreAtomic() throws Exception {
        beside(cpu -> {
            long[] last = {0};
            repeat(round -> {
                long word = cpu.local().getAcquire(line(0));
                isWhole(word);
                assertThat(word).isGreaterThanOrEqualTo(last[0]);
                last[0] = word;
            });
        }, fabric -> repeat(round -> fabric.getAndAdd(1, line(0), BOTH_HALVES)));
    }

    @Test
    void localUpdateAndRemoteReadAreAtomic() throws Exception {
        beside(cpu -> repeat(round -> cpu.local().getAndAdd(line(0), BOTH_HALVES)), fabric -> {
            long[] last = {0};
            repeat(round -> {
                long word = fabric.readWord(1, line(0));
                isWhole(word);
                assertThat(word).isGreaterThanOrEqualTo(last[0]);
                last[0] = word;
            });
        });
    }

    @Test
    void localUpdateAndRemoteWriteAreAtomic() throws Exception {
        // The upper half is the writer's: what it wrote last stands there, however often the other adds to the lower one.
        beside(cpu -> repeat(round -> cpu.local().getAndAdd(line(0), 1)), fabric -> repeat(round -> {
            fabric.writeWord(1, line(0), round << 32);
            assertThat(fabric.readWord(1, line(0)) >>> 32).isEqualTo(round);
        }));
    }

    @Test
    void localWriteAndRemoteUpdateAreAtomicWhereTheFabricIsCoherent() throws Exception {
        assumeTrue(fabric(1).guarantees().coherentWithCpu());
        beside(cpu -> repeat(round -> {
            cpu.local().setVolatile(line(0), round << 32);
            assertThat(cpu.local().getVolatile(line(0)) >>> 32).isEqualTo(round);
        }), fabric -> repeat(round -> fabric.getAndAdd(1, line(0), 1)));
    }

    @Test
    void localUpdateAndRemoteUpdateAreAtomicWhereTheFabricIsCoherent() throws Exception {
        assumeTrue(fabric(1).guarantees().coherentWithCpu());
        beside(cpu -> repeat(round -> cpu.local().getAndAdd(line(0), 1)),
                fabric -> repeat(round -> fabric.getAndAdd(1, line(0), 1)));
        assertThat(fabric(0).readWord(1, line(0))).isEqualTo(2L * rounds());
    }

    // --- the short cut ---

    @Test
    void anEndpointUsesItsOwnMemoryWithoutVerbsWhereTheFabricIsCoherent() throws Exception {
        together(at(0, fabric -> {
            var recording = new RecordingFabric(fabric);
            var endpoint = new Endpoint(recording);
            MemorySegment block = words(64);
            endpoint.writeWord(0, line(0), 5);
            assertThat(endpoint.getAndAdd(0, line(0), 1)).isEqualTo(5);
            assertThat(endpoint.compareAndExchange(0, line(0), 6, 7)).isEqualTo(6);
            assertThat(endpoint.getAndBitwiseOr(0, line(0), 8)).isEqualTo(7);
            endpoint.read(0, line(0), block, 8, 8);
            endpoint.write(0, line(1), block, 8, 8);
            Batch batch = endpoint.batch(0);
            batch.read(0, line(1), 0, 8);
            batch.complete();
            endpoint.flush(0);
            assertThat(batch.word(0)).isEqualTo(15);
            assertThat(endpoint.readWord(0, line(1))).isEqualTo(15);
            boolean verbs = !recording.journal().verbs().isEmpty();
            assertThat(verbs).isNotEqualTo(fabric.guarantees().coherentWithCpu());
        }));
    }

    @Test
    void anEndpointUsesOtherRanksByVerbs() throws Exception {
        together(at(0, fabric -> {
            var recording = new RecordingFabric(fabric);
            var endpoint = new Endpoint(recording);
            endpoint.writeWord(1, line(0), 5);
            assertThat(endpoint.readWord(1, line(0))).isEqualTo(5);
            endpoint.batch(1).complete();
            assertThat(recording.journal().verbs()).hasSize(2);
            assertThat(endpoint.atomicReadBytes(1)).isEqualTo(fabric.guarantees().atomicReadBytes());
        }));
    }

    // --- mapped segments ---

    @Test
    void whereASegmentIsMappedItsLoadsAndStoresAreVerbs() throws Exception {
        LocalMemory mapped = fabric(0).mapped(1);
        assumeTrue(mapped != null);
        together(at(0, fabric -> {
            fabric.writeWord(1, line(0), 5);
            assertThat(mapped.getAcquire(line(0))).isEqualTo(5);
            mapped.setRelease(line(0), 6);
            assertThat(fabric.readWord(1, line(0))).isEqualTo(6);
            assertThat(mapped.size()).isEqualTo(fabric(1).local().size());
        }));
        assertThat(fabric(1).local().get(line(0))).isEqualTo(6);
        everywhere((fabric, number) -> {
            for (int i = 0; i < rounds(); i++) {
                LocalMemory memory = Objects.requireNonNull(fabric.mapped(1));
                memory.getAndAdd(line(1), 1);
                fabric.getAndAdd(1, line(1), 1);
            }
        });
        assertThat(fabric(0).readWord(1, line(1))).isEqualTo(4L * THREADS * rounds());
    }

    @Test
    void onlyCoherentAndPresentSegmentsAreMapped() {
        assertThat(fabric(0).mapped(absentRank())).isNull();
        if (!fabric(0).guarantees().coherentWithCpu()) {
            assertThat(fabric(0).mapped(0)).isNull();
            assertThat(fabric(0).mapped(1)).isNull();
        }
    }

    // --- mistakes and absence ---

    /** Each verb by itself, and in a batch. */
    private static void eachVerb(Fabric fabric, int target, long offset, Consumer<Runnable> check) {
        check.accept(() -> fabric.readWord(target, offset));
        check.accept(() -> fabric.read(target, offset, words(64), 0, 64));
        check.accept(() -> fabric.writeWord(target, offset, 1));
        check.accept(() -> fabric.write(target, offset, words(64), 0, 64));
        check.accept(() -> fabric.compareAndExchange(target, offset, 0, 1));
        check.accept(() -> fabric.getAndAdd(target, offset, 1));
        check.accept(() -> fabric.getAndBitwiseOr(target, offset, 1));
        List<Consumer<Batch>> verbs = List.of(batch -> batch.read(target, offset, 0, 64),
                batch -> batch.write(target, offset, 0, 64), batch -> batch.writeWord(target, offset, 1),
                batch -> batch.compareAndExchange(target, offset, 0, 1), batch -> batch.getAndAdd(target, offset, 1));
        for (Consumer<Batch> verb : verbs) {
            check.accept(() -> {
                Batch batch = fabric.batch();
                verb.accept(batch);
                batch.complete();
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whatLiesOutsideOfASegmentIsRefused(int target) throws Exception {
        long size = fabric(target).local().size();
        together(at(0, fabric -> {
            for (long offset : new long[]{-8, size, size + 8, 1L << 40}) {
                eachVerb(fabric, target, offset,
                        verb -> assertThatThrownBy(verb::run).isInstanceOf(IndexOutOfBoundsException.class));
            }
            assertThatThrownBy(() -> fabric.read(target, size - 8, words(64), 0, 16))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> fabric.write(target, size - 512, words(1024), 0, 520))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(fabric.readWord(target, size - 8)).isZero();
        }));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whatIsNotAlignedIsRefused(int target) throws Exception {
        together(at(0, fabric -> {
            eachVerb(fabric, target, line(0) + 4,
                    verb -> assertThatThrownBy(verb::run).isInstanceOf(IllegalArgumentException.class));
            assertThatThrownBy(() -> fabric.read(target, line(0), words(64), 0, 12))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> fabric.write(target, line(0), words(64), 0, 12))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(fabric.readWord(target, line(0))).isZero();
        }));
    }

    @Test
    void aRankThatIsNotThereIsNamed() throws Exception {
        together(at(0, fabric -> {
            Consumer<Runnable> check = verb -> assertThatThrownBy(verb::run)
                    .isInstanceOfSatisfying(RankUnreachableException.class,
                            failure -> assertThat(failure.rank()).isEqualTo(absentRank()));
            eachVerb(fabric, absentRank(), line(0), check);
            check.accept(() -> fabric.flush(absentRank()));
        }));
    }

    @Test
    void aBatchCanBeUsedAgainAfterAFailure() throws Exception {
        together(at(0, fabric -> {
            for (int i = 0; i < 2 * Batch.ATOMICS; i++) {
                assertThatThrownBy(() -> {
                    Batch batch = fabric.batch();
                    batch.getAndAdd(1, line(0), 1);
                    batch.getAndAdd(absentRank(), line(0), 1);
                    batch.complete();
                }).isInstanceOf(RankUnreachableException.class);
            }
            Batch batch = fabric.batch();
            int first = batch.getAndAdd(1, line(1), 1);
            batch.complete();
            assertThat(first).isZero();
            assertThat(batch.result(first)).isZero();
        }));
    }
}
