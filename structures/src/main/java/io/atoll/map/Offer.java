package io.atoll.map;

import io.atoll.fabric.Endpoint;

/** What has become of a payload that an exchange without an answer has offered to a bucket. */
enum Offer {

    /** The exchange never took place. */
    REFUSED,
    /** The exchange took place, so no bucket refers to the payload before. */
    TAKEN,
    /** The bucket has changed since, or is reserved. */
    UNKNOWN;

    /**
     * Asks the bucket. If its state is as it was, the exchange never took place: states do not come back. If the living
     * value is the reference, it did: the payload is nobody else's, and may be nobody's before the caller's pin ends.
     *
     * @param before the state that the bucket had to have
     */
    static Offer ask(BucketTable table, int owner, long bucket, long before, long reference) {
        Endpoint endpoint = table.endpoint;
        long state = endpoint.readWord(owner, bucket);
        if (state == before) {
            return REFUSED;
        }
        long living = bucket + table.reader.bucket.place(state);
        return Bucket.isLiving(state) && endpoint.readWord(owner, living) == reference ? TAKEN : UNKNOWN;
    }
}
