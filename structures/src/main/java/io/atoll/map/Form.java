package io.atoll.map;

import io.atoll.promise.PromiseWatch;
import io.atoll.world.Participant;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Says how a map stores its keys and values. It is known before the map is opened. */
interface Form<K, V> {

    /** The directory's names for the bytes of a bucket, and of the key in it, in maps of objects. */
    String BUCKET_BYTES = "bucket-bytes";
    String KEY_BYTES = "key-bytes";

    /** Says in the directory that no function of the user's own hashes the keys. */
    String HASH_OF_WORDS = "hash=words";

    /** Returns the layout of a bucket of such a map. */
    Bucket bucket();

    /** Returns the types and codecs, on which two processes must agree. */
    String types();

    /** Returns all that two processes must agree on. */
    default String configuration(boolean hasOwnHash) {
        return types() + " " + (hasOwnHash ? "hash=own" : HASH_OF_WORDS) + " " + KEY_BYTES + "=" + bucket().keyBytes
                + " " + BUCKET_BYTES + "=" + bucket().size;
    }

    /** Returns true if buckets refer to memory that can go away. */
    boolean hasReferences();

    /**
     * @param hash null if keys are hashed as they are stored
     * @param watch null if promises are not watched over
     */
    Entries<K, V> entries(Participant self, Blocks blocks, @Nullable ToLongFunction<? super K> hash,
            @Nullable PromiseWatch watch);
}
