package io.atoll.map;

/** What becomes of an entry. */
enum Outcome {
    /** It stays as it is. */
    KEEP,
    /** It is what stands in the batch's buffer. */
    STORE,
    /** It has no value any more. */
    REMOVE,
    /** What {@link Change#compute} says, once the bucket is reserved. */
    COMPUTE
}
