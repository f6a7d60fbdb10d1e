package io.atoll.fabric;

import static io.atoll.fabric.ConcurrentRanks.at;
import static io.atoll.fabric.ConcurrentRanks.words;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks that each verb does what it promises, on every rank and for every number of bytes. */
interface VerbContract extends ConcurrentRanks {

    long[] VALUES = {0, 1, -1, 0x0123_4567_89AB_CDEFL, Long.MIN_VALUE, Long.MAX_VALUE};
    long[] SIZES = {8, 16, 24, 56, 64, 72, 128, 192, 248, 256, 264, 512, 4096};

    @Test
    default void everyRankKnowsItselfAndTheWorld() {
        for (int rank = 0; rank < 2; rank++) {
            assertThat(fabric(rank).rank()).isEqualTo(rank);
            assertThat(fabric(rank).size()).isGreaterThan(absentRank());
            assertThat(fabric(rank).local().size()).isGreaterThanOrEqualTo(freeOffset() + (64 << 10));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    default void aWordThatWasWrittenIsRead(int target) throws Exception {
        together(at(0, fabric -> {
            for (long value : VALUES) {
                fabric.writeWord(target, line(0), value);
                assertThat(fabric.readWord(target, line(0))).isEqualTo(value);
            }
        }));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    default void theFirstAndTheLastWordOfASegmentCanBeUsed(int target) throws Exception {
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
    default void compareAndExchangeReturnsWhatWasThereAndExchangesOnlyWhatWasExpected(int target) throws Exception {
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
    default void getAndSetReturnsWhatWasThereAndLeavesWhatItWasGiven(int target) throws Exception {
        together(at(0, fabric -> {
            long before = 0;
            for (long value : VALUES) {
                assertThat(fabric.getAndSet(target, line(0), value)).isEqualTo(before);
                assertThat(fabric.readWord(target, line(0))).isEqualTo(value);
                before = value;
            }
        }));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    default void getAndAddReturnsWhatWasThere(int target) throws Exception {
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
    default void getAndBitwiseOrReturnsWhatWasThere(int target) throws Exception {
        together(at(0, fabric -> {
            assertThat(fabric.getAndBitwiseOr(target, line(0), 0b0110)).isZero();
            assertThat(fabric.getAndBitwiseOr(target, line(0), 0b0010)).isEqualTo(0b0110);
            assertThat(fabric.getAndBitwiseOr(target, line(0), 0b1010)).isEqualTo(0b0110);
            assertThat(fabric.getAndBitwiseOr(target, line(0), Long.MIN_VALUE)).isEqualTo(0b1110);
            assertThat(fabric.readWord(target, line(0))).isEqualTo(Long.MIN_VALUE | 0b1110);
        }));
    }

    /**
     * Moves every size at every place of a line. What was written is read, and the bytes beside it keep their values at
     * both ends.
     */
    private void movesExactlyWhatItShall(int target, Mover mover) throws Exception {
        together(at(0, fabric -> {
            for (long bytes : SIZES) {
                for (long shift : new long[]{0, 8, 56}) {
                    moveOnce(fabric, target, mover, bytes, shift);
                }
            }
        }));
    }

    interface Mover {
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
    default void readsAndWritesMoveExactlyWhatTheyShall(int target) throws Exception {
        movesExactlyWhatItShall(target, (fabric, rank, offset, from, into, position, bytes) -> {
            fabric.write(rank, offset, from, position, bytes);
            fabric.read(rank, offset, into, position, bytes);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    default void readsAndWritesOfABatchMoveExactlyWhatTheyShall(int target) throws Exception {
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
    default void theSourceOfAWriteMayBeUsedAgainWhenItReturns() throws Exception {
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
}
