package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.WideCodec;
import io.atoll.epoch.EpochManager;
import io.atoll.map.DistributedMapSimulation.Tables;
import io.atoll.world.Participant;

/** Maps of objects whose blocks are replaced all the time, in a {@link GrowingWorld}. */
enum GrowingMap {

    /** Keys and values are one word each. They are looked for and inserted at a key's home without a buffer. */
    WORDS {
        @Override
        Bucket bucket() {
            return DistributedMapSimulation.bucket(LONG, LONG);
        }

        @Override
        MapClient open(Participant self, EpochManager epochs, Blocks blocks, Tables tables) {
            return PayloadWorld.reclaiming(self, epochs,
                    DistributedMapSimulation.client(LONG, LONG, self, blocks, tables));
        }
    },

    /** Buckets of half a cache line. */
    NARROW {
        @Override
        Bucket bucket() {
            return DistributedMapSimulation.bucket(WORD, WORD);
        }

        @Override
        MapClient open(Participant self, EpochManager epochs, Blocks blocks, Tables tables) {
            return PayloadWorld.reclaiming(self, epochs,
                    DistributedMapSimulation.client(WORD, WORD, self, blocks, tables));
        }
    },

    /** Buckets of three cache lines. */
    WIDE {
        @Override
        Bucket bucket() {
            return DistributedMapSimulation.bucket(KEY, VALUE);
        }

        @Override
        MapClient open(Participant self, EpochManager epochs, Blocks blocks, Tables tables) {
            return PayloadWorld.reclaiming(self, epochs,
                    DistributedMapSimulation.client(KEY, VALUE, self, blocks, tables));
        }
    },

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

    private static final Codec<Long> LONG = Codecs.forType(Long.class);
    private static final WideCodec WORD = new WideCodec(1);
    private static final WideCodec KEY = new WideCodec(2);
    private static final WideCodec VALUE = new WideCodec(7);

    abstract Bucket bucket();

    abstract MapClient open(Participant self, EpochManager epochs, Blocks blocks, Tables tables);

    MapClient open(Participant self, EpochManager epochs) {
        return open(self, epochs, GrowingWorld.blocks(self, epochs, bucket().size), DistributedMapSimulation.RIGHT);
    }
}
