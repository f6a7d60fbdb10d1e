package io.atoll.map;

import org.jspecify.annotations.Nullable;

/** A value that is to be stored together with others, and the payload that is made of it. */
final class PayloadPut<V> {

    final LookupKey key;
    final V value;
    @Nullable Payload payload; // until it is written
    long reference = PayloadReference.NONE; // to the payload of key and value, once that is allocated
    long former = PayloadReference.NONE; // what the bucket that was found for the key refers to

    PayloadPut(LookupKey key, V value) {
        this.key = key;
        this.value = value;
    }
}
