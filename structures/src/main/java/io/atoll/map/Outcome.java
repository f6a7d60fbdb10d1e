package io.atoll.map;

/** The effect of an operation on an entry. */
enum Outcome {
    /** The entry stays as it is. */
    KEEP,
    /** The entry becomes what stands in the batch's buffer. */
    STORE,
    /** The entry has no value any more. */
    REMOVE,
    /** The entry becomes what {@link Change#compute} says, once the bucket is reserved. */
    COMPUTE
}
