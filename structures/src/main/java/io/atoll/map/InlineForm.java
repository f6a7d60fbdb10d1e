package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.promise.PromiseWatch;
import io.atoll.world.Participant;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Keeps keys and values in the buckets. */
record InlineForm<K, V>(String map, Codec<K> keys, Codec<V> values) implements Form<K, V> {

    @Override
    public Bucket bucket() {
        return new Bucket(keys.bytes(), values.bytes());
    }

    @Override
    public String types() {
        return "keys=" + keys.name() + " values=" + values.name();
    }

    @Override
    public boolean hasReferences() {
        return false;
    }

    @Override
    public InlineEntries<K, V> entries(Participant self, Blocks blocks, @Nullable ToLongFunction<? super K> hash,
            @Nullable PromiseWatch watch) {
        Codec<K> named = keys.within(map);
        var table = new BucketTable(map, self, blocks, bucket(), InlineEntries.hashing(self, named, hash), watch);
        return new InlineEntries<>(table, named, values.within(map), hash);
    }
}
