package io.atoll.map;

import io.atoll.codec.VariableCodec;
import io.atoll.epoch.EpochManager;
import io.atoll.promise.PromiseWatch;
import io.atoll.world.Participant;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Keeps keys and values beside the buckets. */
record PayloadForm<K, V>(String map, VariableCodec<K> keys, VariableCodec<V> values, EpochManager epochs)
        implements
            Form<K, V> {

    /** The begin of the configuration of such a map. */
    public static final String PREFIX = "variable ";

    /** @throws IllegalArgumentException if the keys' codec is not {@linkplain VariableCodec#canonical() canonical} */
    public PayloadForm {
        if (!keys.canonical()) {
            throw new IllegalArgumentException(
                    "keys are compared by their bytes, and equal ones may have different bytes here: map=" + map
                            + " keys=" + keys.name());
        }
    }

    @Override
    public Bucket bucket() {
        return PayloadEntries.bucket();
    }

    @Override
    public String types() {
        return PREFIX + "keys=" + keys.name() + " values=" + values.name();
    }

    @Override
    public boolean hasReferences() {
        return true;
    }

    @Override
    public PayloadEntries<K, V> entries(Participant self, Blocks blocks, @Nullable ToLongFunction<? super K> hash,
            @Nullable PromiseWatch watch) {
        var table = new BucketTable(map, self, blocks, bucket(), PayloadEntries.hashing(), watch);
        return new PayloadEntries<>(table, new Payloads(map, self, epochs), keys.within(map),
                values.within(map), hash);
    }
}
