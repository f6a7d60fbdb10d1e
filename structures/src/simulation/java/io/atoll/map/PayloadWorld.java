package io.atoll.map;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.atoll.codec.VariableCodec;
import io.atoll.epoch.EpochManager;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A map of keys and values of variable size in a {@link MapWorld}. Freed payloads are overwritten, and every operation
 * tries to free some.
 */
public final class PayloadWorld {

    /** Encodes longs in one to four words, each of which tells if they belong together. */
    public static final VariableCodec<Long> CODEC = new VariableCodec<>() {

        @Override
        public String name() {
            return "long-long";
        }

        @Override
        public byte[] encode(Long value) {
            byte[] bytes = new byte[Long.BYTES * (1 + (int) Math.floorMod(value, 4L))];
            for (int at = 0; at < bytes.length; at += Long.BYTES) {
                MemorySegment.ofArray(bytes).set(JAVA_LONG_UNALIGNED, at, value + at);
            }
            return bytes;
        }

        @Override
        public Long decode(byte[] bytes) {
            MemorySegment words = MemorySegment.ofArray(bytes);
            long value = words.get(JAVA_LONG_UNALIGNED, 0);
            if (bytes.length != encode(value).length || words.mismatch(MemorySegment.ofArray(encode(value))) >= 0) {
                throw new AssertionError("torn: value=" + value + " bytes=" + bytes.length);
            }
            return value;
        }
    };

    /** More attempts than there are connections that break. */
    private static final int MOST_ATTEMPTS = 20;

    /** Makes the protocol, or one with something else in it. */
    public interface Opener {

        default BucketTable table(Participant self, Blocks blocks) {
            return new BucketTable("map", self, blocks, PayloadEntries.bucket(), PayloadEntries.hashing(), null);
        }

        default Payloads payloads(Participant self, EpochManager epochs) {
            return new Payloads("map", self, epochs);
        }

        default PayloadEntries<Long, Long> entries(BucketTable table, Payloads payloads) {
            return new PayloadEntries<>(table, payloads, CODEC, CODEC, Long::longValue);
        }
    }

    /** Makes the protocol as it is. */
    static final Opener RIGHT = new Opener() {};

    private final SharedEpochs epochs = new SharedEpochs(MapWorld::epochs);

    MapClient open(Participant self, Opener opener) {
        return open(self, opener, epochs.of(self), MapWorld.fixedBlocks(epochs.of(self)));
    }

    public static MapClient open(Participant self, Opener opener, EpochManager epochs, Blocks blocks) {
        BucketTable table = opener.table(self, blocks);
        PayloadEntries<Long, Long> entries = opener.entries(table, opener.payloads(self, epochs));
        return reclaiming(self, epochs, MapClient.of(entries));
    }

    /** Returns a client that tries to free something, and to undo what is in doubt, after each operation. */
    public static MapClient reclaiming(Participant self, EpochManager epochs, MapClient client) {
        return new MapClient() {

            @Override
            public long perform(MapOperation operation) {
                long result = client.perform(operation);
                tidy();
                return result;
            }

            private void tidy() {
                epochs.tryReclaim();
                undoAll(self);
            }

            @Override
            public boolean isForMany() {
                return client.isForMany();
            }

            @Override
            public List<Long> performAll(List<MapOperation> operations) {
                List<Long> results = client.performAll(operations);
                tidy();
                return results;
            }

            @Override
            public void forEach(LongLongMap.Visitor visitor) {
                client.forEach(visitor);
            }
        };
    }

    /** Undoes what is in doubt, as a process does from time to time. A process that was shut out can undo nothing. */
    private static void undoAll(Participant self) {
        for (int attempt = 0; attempt < MOST_ATTEMPTS && self.reservations().inDoubt() > 0; attempt++) {
            self.reservations().retryAll();
        }
    }
}
