package io.atoll.map;

import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.failure.FabricException;
import io.atoll.failure.SegmentFullException;
import io.atoll.map.BucketTable.Change;
import io.atoll.map.Entries.Edit;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An edit of one key's entry, in the payload that its bucket refers to. */
final class PayloadChange<V> extends Change {

    private final PayloadEntries<?, V> entries;
    private final LookupKey key;
    private final Edit<V> edit;
    private final Token token;
    private long former; // what the bucket refers to
    private @Nullable Payload payload; // the payload that former refers to
    private byte @Nullable [] present; // the key's value in the payload
    private @Nullable Payload next; // what is to be stored
    private @Nullable Payload placed; // what was last about to be stored
    private long reference; // the reference to what was placed
    private boolean offered; // true if the bucket was offered the reference, and may have it
    private boolean computed; // true if the function has run: the bucket is reserved
    private Outcome outcome = Outcome.KEEP;

    PayloadChange(PayloadEntries<?, V> entries, LookupKey key, Edit<V> edit, long first, Token token) {
        super(key.owner(), first, key.word());
        this.token = token;
        this.entries = entries;
        this.key = key;
        this.edit = edit;
    }

    /** Returns true if a function has run. It must not run again. */
    boolean isComputed() {
        return computed;
    }

    @Override
    Outcome decide(Batch batch, long living) {
        offered = false;
        former = living == BucketReader.NONE ? PayloadReference.NONE : batch.word(living);
        payload = former == PayloadReference.NONE ? null : entries.payloads.read(key.owner(), former);
        present = payload == null ? null : entries.valueOf(payload, key.key());
        return ofBucket(edit.decide(present()));
    }

    @Override
    Outcome compute(Batch batch, long living) {
        computed = true;
        return ofBucket(edit.compute(present()));
    }

    private @Nullable Encoded present() {
        return present == null ? null : new Encoded(present);
    }

    /** Returns what becomes of the bucket, if this becomes of the key's entry: other keys may share the payload. */
    private Outcome ofBucket(Outcome ofEntry) {
        outcome = ofEntry;
        next = switch (ofEntry) {
            case STORE -> with(stored());
            case REMOVE -> Objects.requireNonNull(payload).without(key.key());
            default -> null;
        };
        return ofEntry == Outcome.REMOVE && next != null ? Outcome.STORE : ofEntry;
    }

    private byte[] stored() {
        return edit instanceof Edit.InsertEncoded<V> given
                ? given.encoded
                : entries.values.encode(Objects.requireNonNull(edit.value));
    }

    private Payload with(byte[] value) {
        return payload == null ? Payload.of(key.key(), value) : payload.with(key.key(), value);
    }

    @Override
    void placeKey(Batch batch) {
        key.placeKey(batch);
    }

    @Override
    void placeValue(Batch batch) {
        if (!Objects.equals(placed, next)) {
            discard();
            reference = store(Objects.requireNonNull(next));
            placed = next;
        }
        offered = true;
        placeKey(batch); // storing the payload may have used the batch
        batch.setWord(entries.table.reader.value(), reference);
    }

    private long store(Payload stored) {
        while (true) {
            try {
                return entries.payloads.store(token, key.owner(), stored);
            } catch (SegmentFullException full) {
                // The bucket's block, and what the bucket refers to, stay as long as the bucket is reserved. So a new
                // pin will do, except for the block in which the search begins.
                if (!computed || !entries.payloads.relieve(key.owner(), token)) {
                    throw full;
                }
                searchFrom(entries.table.blocks.first(key.owner()));
            }
        }
    }

    @Override
    void refused() {
        offered = false;
    }

    /** Returns true if there was no value and one is stored. */
    boolean conclude() {
        if (outcome == Outcome.KEEP || next == null) {
            discard();
        }
        if (outcome != Outcome.KEEP && former != PayloadReference.NONE) {
            entries.payloads.retireReplaced(token, key.owner(), former);
        }
        return outcome == Outcome.STORE && present == null;
    }

    /** Gives back, after that failure, what certainly no bucket refers to: what was to be stored, or was before. */
    void giveBackAfter(Throwable failure) {
        if (placed == null) {
            return;
        }
        if (offered) {
            if (failure instanceof FabricException) { // after an error there may be no memory to ask
                retireAfter(failure, unreferenced(failure));
            }
        } else if (failure instanceof FabricException && !(failure instanceof SegmentFullException)) {
            retireAfter(failure, reference);
        } else {
            entries.payloads.discardAfter(failure, key.owner(), reference);
        }
        placed = null;
    }

    /**
     * Lets the bucket tell if the entry is stored, and returns the reference that it does not have then. Its answer
     * comes over another connection than the exchange took, if that one broke: nothing of the exchange arrives any
     * more.
     */
    private long unreferenced(Throwable failure) {
        try {
            return switch (Offer.ask(entries.table, owner, offset, before, reference)) {
                case REFUSED -> reference;
                case TAKEN -> former;
                case UNKNOWN -> PayloadReference.NONE;
            };
        } catch (FabricException unknown) {
            failure.addSuppressed(unknown);
            return PayloadReference.NONE;
        }
    }

    private void retireAfter(Throwable failure, long unused) {
        if (unused != PayloadReference.NONE) {
            entries.payloads.retireAfter(failure, token, owner, unused);
        }
    }

    private void discard() {
        if (placed != null) {
            placed = null;
            entries.payloads.discard(key.owner(), reference);
        }
    }

    private final class Encoded implements Edit.Present<V> {

        private final byte[] bytes;

        private Encoded(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public V value() {
            return entries.values.decode(bytes);
        }

        @Override
        public boolean is(V other) {
            byte[] others = entries.values.encode(other);
            if (Arrays.equals(bytes, others)) {
                return true;
            }
            if (entries.values.canonical()) {
                return false;
            }
            // A class may have no equals(): then values are equal if they are stored alike. What is in a hash map may
            // come back in another order, so the stored value is decoded first.
            V value = value();
            return value.equals(other) || Arrays.equals(entries.values.encode(value), others);
        }
    }
}
