package io.atoll.map;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.atoll.codec.variable.VariableCodec;
import io.atoll.epoch.EpochManager;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** A map of keys and values of variable size in a {@link MapWorld}. Freed payloads are overwritten, and every operation tries to free some. */
final class PayloadWorld {

    /** Longs in one to four words, all of which tell whether they belong together. */
    static final VariableCodec<Long> CODEC = new VariableCodec<>() {

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

    private static final int MOST_MANAGERS = 16;

    /** More than connections break. */
    private static final int MOST_ATTEMPTS = 20;

    /** Makes the protocol, or one with something else in it. */
    interface Opener {

        default BucketTable table(Participant self) {
            return new BucketTable("map", self, MapWorld.PLACEMENT, PayloadEntries.bucket(), MapWorld.blocks());
        }

        default Payloads payloads(Participant self, EpochManager epochs) {
            return new Payloads(self, epochs);
        }

        default PayloadEntries<Long, Long> entries(BucketTable table, Payloads payloads) {
            return new PayloadEntries<>(table, payloads, CODEC, CODEC, Long::longValue);
        }
    }

    /** As it is. */
    static final Opener RIGHT = new Opener() {};

    // Several threads of one rank share what is their rank's. Those of simulations that have ended go.
    private final Map<Participant, EpochManager> managers = Collections
            .synchronizedMap(new LinkedHashMap<Participant, EpochManager>() {

                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Participant, EpochManager> eldest) {
                    return size() > MOST_MANAGERS;
                }
            });

    EpochManager epochs(Participant self) {
        // Nothing is held while a manager is made: that takes steps.
        EpochManager known = managers.get(self);
        if (known != null) {
            return known;
        }
        EpochManager made = MapWorld.epochs(self);
        EpochManager other = managers.putIfAbsent(self, made);
        return other != null ? other : made;
    }

    MapClient open(Participant self, Opener opener) {
        EpochManager epochs = epochs(self);
        PayloadEntries<Long, Long> entries = opener.entries(opener.table(self), opener.payloads(self, epochs));
        MapClient client = MapClient.of(new DistributedMap<>("map", new Handle<>(() -> entries)));
        return new MapClient() {

            @Override
            public long perform(MapOperation operation) {
                long result = client.perform(operation);
                epochs.tryReclaim();
                undoAll(self);
                return result;
            }

            @Override
            public void forEach(LongLongMap.Visitor visitor) {
                client.forEach(visitor);
            }
        };
    }

    /** As a process does from time to time; of one that was shut out nothing can be undone. */
    private static void undoAll(Participant self) {
        for (int attempt = 0; attempt < MOST_ATTEMPTS && self.reservations().inDoubt() > 0; attempt++) {
            self.reservations().retryAll();
        }
    }
}
