package io.atoll.map;

import io.atoll.world.Participant;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** How a map stores its keys and values: known before the map is opened. */
interface Form<K, V> {

    /** As maps of objects say in the directory how large their buckets are, and the keys in them. */
    String BUCKET_BYTES = "bucket-bytes";
    String KEY_BYTES = "key-bytes";

    /** And that no function of the user's own hashes them. */
    String HASH_OF_WORDS = "hash=words";

    /** A bucket of such a map. */
    Bucket bucket();

    /** Types and codecs, as two processes must agree on them. */
    String types();

    /** What two processes must agree on. */
    default String configuration(boolean hasOwnHash) {
        return types() + " " + (hasOwnHash ? "hash=own" : HASH_OF_WORDS) + " " + KEY_BYTES + "=" + bucket().keyBytes
                + " " + BUCKET_BYTES + "=" + bucket().size;
    }

    /** Whether buckets refer to what can go away. */
    boolean hasReferences();

    /** @param hash null if keys are hashed as they are stored */
    Entries<K, V> entries(Participant self, Blocks blocks, @Nullable ToLongFunction<? super K> hash);
}
