package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.codec.WordCodec;
import io.atoll.fabric.Batch;
import io.atoll.map.MapOperation.Kind;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Maps with keys and values of one word or more. */
abstract class DistributedMapSimulation extends MapSimulation {

    static final List<Kind> KINDS = List.of(Kind.values());

    private final Codec<Long> keys;
    private final Codec<Long> values;

    DistributedMapSimulation(Codec<Long> keys, Codec<Long> values) {
        this.keys = keys;
        this.values = values;
    }

    @Override
    protected List<Kind> kinds() {
        return KINDS;
    }

    @Override
    protected MapClient open(Participant participant, Runnable between) {
        return client(keys, values, participant, MapWorld.fixedBlocks(), tables(between));
    }

    /**
     * Returns tables whose operations call {@code between} when they have reserved a bucket, before they write to it.
     */
    static Tables tables(Runnable between) {
        return (name, self, blocks, bucket, hashing) -> new BucketTable(
                new BucketWriter(name, self, new BucketReader(self.endpoint(), bucket, blocks, hashing)) {
                    @Override
                    void publish(Batch batch, int owner, long offset, long before, long position) {
                        between.run();
                        super.publish(batch, owner, offset, before, position);
                    }

                    @Override
                    void publish(LocalMemory mapped, long offset, long key, long value) {
                        between.run();
                        super.publish(mapped, offset, key, value);
                    }
                }, BucketMover::new, null);
    }

    /** Opens tables as they are. */
    static final Tables RIGHT = (name, self, blocks, bucket, hashing) -> new BucketTable(name, self, blocks, bucket,
            hashing, null);

    /** Opens a table, or one with something else in it. */
    interface Tables {
        BucketTable open(String name, Participant participant, Blocks blocks, Bucket bucket, Hashing hashing);
    }

    static MapClient client(Codec<Long> keys, Codec<Long> values, Participant participant, Blocks blocks,
            Tables tables) {
        // Words are hashed as such. Only then does a find look for them at their home first.
        @Nullable ToLongFunction<Long> hash = keys instanceof WordCodec ? null : Long::longValue;
        Hashing hashing = InlineEntries.hashing(participant, keys, hash);
        BucketTable table = tables.open("map", participant, blocks, bucket(keys, values), hashing);
        var entries = new InlineEntries<>(table, keys, values, hash);
        return MapClient.of(entries);
    }

    static Bucket bucket(Codec<Long> keys, Codec<Long> values) {
        return new Bucket(keys.bytes(), values.bytes());
    }
}
