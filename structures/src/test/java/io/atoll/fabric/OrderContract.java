package io.atoll.fabric;

import static io.atoll.fabric.ConcurrentRanks.at;
import static io.atoll.fabric.ConcurrentRanks.words;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks in which order writes arrive and reads look, and how many bytes of them are seen at once. */
interface OrderContract extends ConcurrentRanks {

    /**
     * Rank 0 writes payload and flag, again and again. The payload that rank 1 sees is never older than the flag that
     * it sees.
     */
    private void payloadIsNeverOlderThanItsFlag(long payloadBytes, Writer writer, Reader reader) throws Exception {
        var done = new AtomicBoolean();
        together(at(0, fabric -> {
            MemorySegment payload = words(payloadBytes);
            try {
                for (long round = 1; round <= rounds(); round++) {
                    fill(payload, round);
                    writer.write(fabric, payload, round);
                }
            } finally {
                done.set(true);
            }
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

    private static void fill(MemorySegment words, long value) {
        for (long at = 0; at < words.byteSize(); at += 8) {
            words.set(JAVA_LONG, at, value);
        }
    }

    interface Writer {
        void write(Fabric fabric, MemorySegment payload, long flag);
    }

    interface Reader {
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
    default void writesArriveInTheirOrder(long payloadBytes) throws Exception {
        payloadIsNeverOlderThanItsFlag(payloadBytes, this::writePayloadThenFlag, this::readFlagThenPayload);
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 64, 1024})
    default void writesOfABatchArriveInTheirOrder(long payloadBytes) throws Exception {
        payloadIsNeverOlderThanItsFlag(payloadBytes, this::writePayloadThenFlagInOneBatch, this::readFlagThenPayload);
    }

    @ParameterizedTest
    @ValueSource(longs = {8, 64, 1024})
    default void readsOfABatchKeepTheirOrderWhereTheFabricSaysSo(long payloadBytes) throws Exception {
        assumeTrue(fabric(1).guarantees().readsInOrder());
        payloadIsNeverOlderThanItsFlag(payloadBytes, this::writePayloadThenFlag, this::readFlagThenPayloadInOneBatch);
    }

    /**
     * Two ranks write a word each and then read the other's word, again and again. Suppose that a rank did not see the
     * other's next write. Then it had written before that write, so the other rank must see its word.
     */
    private void isNotOvertakenByALaterRead(WordWriter writer) throws Exception {
        int rounds = 20 * rounds();
        long[][] seen = new long[2][rounds + 1];
        List<Actor> actors = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            int me = rank;
            actors.add(at(me, fabric -> {
                for (int round = 1; round <= rounds; round++) {
                    // Brings the word into this processor's cache for the read below.
                    fabric.readWord(1, line(1 - me));
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

    interface WordWriter {
        void write(Fabric fabric, long offset, long value);
    }

    @Test
    default void aWriteIsNotOvertakenByALaterReadOfItsThread() throws Exception {
        assumeTrue(readsWaitForWrites());
        isNotOvertakenByALaterRead((fabric, offset, value) -> fabric.writeWord(1, offset, value));
    }

    @Test
    default void aFlushedWriteIsNotOvertakenByALaterReadOfItsThread() throws Exception {
        isNotOvertakenByALaterRead((fabric, offset, value) -> {
            fabric.writeWord(1, offset, value);
            fabric.flush(1);
        });
    }

    @Test
    default void aCompletedBatchIsNotOvertakenByALaterReadOfItsThread() throws Exception {
        isNotOvertakenByALaterRead((fabric, offset, value) -> {
            Batch batch = fabric.batch();
            batch.writeWord(1, offset, value);
            batch.complete();
        });
    }

    @Test
    default void whatLiesWithinTheDeclaredWidthArrivesWhole() throws Exception {
        int width = fabric(0).guarantees().atomicReadBytes();
        var done = new AtomicBoolean();
        together(at(0, fabric -> {
            MemorySegment block = words(width);
            try {
                for (long round = 1; round <= rounds(); round++) {
                    fill(block, round << 32 | round);
                    fabric.write(1, line(0), block, 0, width);
                }
            } finally {
                done.set(true);
            }
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
}
