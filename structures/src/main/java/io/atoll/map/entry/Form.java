package io.atoll.map.entry;

import io.atoll.codec.Codec;
import io.atoll.codec.fixed.Codecs;
import io.atoll.codec.variable.VariableCodec;
import io.atoll.codec.variable.VariableCodecs;
import io.atoll.epoch.EpochManager;
import io.atoll.map.bucket.Bucket;
import io.atoll.map.growth.Blocks;
import io.atoll.map.payload.Payloads;
import io.atoll.map.table.BucketTable;
import io.atoll.world.Participant;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** How a map stores its keys and values: known before the map is opened. */
public interface Form<K, V> {

    /** How the configuration of those begins that store them beside the buckets. */
    String PAYLOADS = "variable ";

    /** A bucket of such a map. */
    Bucket bucket();

    /** What of it two processes must agree on. */
    String configuration();

    /** Whether buckets refer to what can go away. */
    boolean hasReferences();

    /** @param hash null if keys are hashed as they are stored */
    Entries<K, V> entries(Participant self, Blocks blocks, @Nullable ToLongFunction<? super K> hash);

    /** In the buckets if both are of fixed size, else beside them. */
    static <K, V> Form<K, V> of(String map, Class<K> keys, Class<V> values, EpochManager epochs) {
        return Codecs.isFixed(keys) && Codecs.isFixed(values)
                ? inline(map, Codecs.forType(keys), Codecs.forType(values))
                : payloads(map, VariableCodecs.forType(keys), VariableCodecs.forType(values), epochs);
    }

    static <K, V> Form<K, V> inline(String map, Codec<K> keys, Codec<V> values) {
        return new Form<>() {

            @Override
            public Bucket bucket() {
                return new Bucket(keys.bytes(), values.bytes());
            }

            @Override
            public String configuration() {
                return "keys=" + keys.name() + " values=" + values.name();
            }

            @Override
            public boolean hasReferences() {
                return false;
            }

            @Override
            public Entries<K, V> entries(Participant self, Blocks blocks,
                    @Nullable ToLongFunction<? super K> hash) {
                var table = new BucketTable(map, self, blocks, bucket(), InlineEntries.hashing(keys, hash));
                return new InlineEntries<>(table, keys, values, hash);
            }
        };
    }

    static <K, V> Form<K, V> payloads(String map, VariableCodec<K> keys, VariableCodec<V> values,
            EpochManager epochs) {
        if (!keys.canonical()) {
            throw new IllegalArgumentException(
                    "keys are compared by their bytes, and equal ones may have different bytes here: map=" + map
                            + " keys=" + keys.name());
        }
        return new Form<>() {

            @Override
            public Bucket bucket() {
                return PayloadEntries.bucket();
            }

            @Override
            public String configuration() {
                return PAYLOADS + "keys=" + keys.name() + " values=" + values.name();
            }

            @Override
            public boolean hasReferences() {
                return true;
            }

            @Override
            public Entries<K, V> entries(Participant self, Blocks blocks,
                    @Nullable ToLongFunction<? super K> hash) {
                var table = new BucketTable(map, self, blocks, bucket(), PayloadEntries.hashing());
                return new PayloadEntries<>(table, new Payloads(self, epochs), VariableCodecs.within(map, keys),
                        VariableCodecs.within(map, values), hash);
            }
        };
    }
}
