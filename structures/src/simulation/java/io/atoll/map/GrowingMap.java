package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.WideCodec;
import io.atoll.epoch.EpochManager;
import io.atoll.map.DistributedMapSimulation.Tables;
import io.atoll.world.Participant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Maps of objects whose blocks are replaced all the time, in a {@link GrowingWorld}. */
enum GrowingMap {

    /** Keys and values are one word each. They are looked for and inserted at a key's home without a buffer. */
    WORDS(Codecs.forType(Long.class), Codecs.forType(Long.class)),

    /** Buckets of half a cache line. */
    NARROW(new WideCodec(1), new WideCodec(1)),

    /** Buckets of three cache lines. */
    WIDE(new WideCodec(2), new WideCodec(7)),

    /** Keys and values beside the buckets; some keys have the same hash. */
    PAYLOADS {
        @Override
        Bucket bucket() {
            return PayloadEntries.bucket();
        }

        @Override
        MapClient open(Participant self, EpochManager epochs, Blocks blocks, Tables tables) {
            return PayloadWorld.open(self, new PayloadWorld.Opener() {

                @Override
                public BucketTable table(Participant same, Blocks any) {
                    return tables.open("map", same, any, PayloadEntries.bucket(), PayloadEntries.hashing());
                }

                @Override
                public PayloadEntries<Long, Long> entries(BucketTable table, Payloads payloads) {
                    return new PayloadEntries<>(table, payloads, PayloadWorld.CODEC, PayloadWorld.CODEC, null) {
                        @Override
                        long wordOf(byte[] key) {
                            return GrowingWorld.hash(PayloadWorld.CODEC.decode(key));
                        }
                    };
                }
            }, epochs, blocks);
        }
    };

    private final @Nullable Codec<Long> key;
    private final @Nullable Codec<Long> value;

    GrowingMap() {
        this(null, null);
    }

    GrowingMap(@Nullable Codec<Long> key, @Nullable Codec<Long> value) {
        this.key = key;
        this.value = value;
    }

    Bucket bucket() {
        return DistributedMapSimulation.bucket(Objects.requireNonNull(key), Objects.requireNonNull(value));
    }

    MapClient open(Participant self, EpochManager epochs, Blocks blocks, Tables tables) {
        return PayloadWorld.reclaiming(self, epochs, DistributedMapSimulation.client(Objects.requireNonNull(key),
                Objects.requireNonNull(value), self, blocks, tables));
    }

    MapClient open(Participant self, EpochManager epochs) {
        return open(self, epochs, GrowingWorld.blocks(self, epochs, bucket().size), DistributedMapSimulation.RIGHT);
    }
}
