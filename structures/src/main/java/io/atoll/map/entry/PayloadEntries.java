package io.atoll.map.entry;

import io.atoll.codec.KeyHash;
import io.atoll.codec.variable.VariableCodec;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.TableFullException;
import io.atoll.map.block.Block;
import io.atoll.map.bucket.Bucket;
import io.atoll.map.bucket.BucketIterator;
import io.atoll.map.bucket.BulkFind;
import io.atoll.map.bucket.Hashing;
import io.atoll.map.bucket.SeveralKeys;
import io.atoll.map.payload.Payload;
import io.atoll.map.payload.Payloads;
import io.atoll.map.table.BucketTable;
import io.atoll.map.table.Change;
import io.atoll.map.table.Outcome;
import io.atoll.memory.Layouts;
import io.atoll.promise.Promise;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.function.BiConsumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Keys and values of any size, beside the buckets: in a bucket stand the hash of the key's bytes and a reference to the {@link Payload} that has key and value. Keys
 * of equal hashes, if ever there are some, share a bucket and its payload: the bytes decide which is meant.
 *
 * <p>A payload is written before a bucket refers to it, and never changes; whoever changes the bucket retires the payload that it referred to before. Operations are
 * pinned as long as they follow references. An operation that is cut short, by a death or by a connection that breaks, loses one payload at most: the new one that
 * no bucket refers to yet, or the old one that none refers to any more.
 *
 * <p>What a test overrides to break the protocol is not private.
 */
public class PayloadEntries<K, V> implements Entries<K, V> {

    /** In the place of a reference. */
    private static final long NO_PAYLOAD = 0;

    private static final long EXPECTED_BYTES_IN_MESSAGE = Layouts.CACHE_LINE;

    private final BucketTable table;
    private final Payloads payloads;
    private final VariableCodec<K> keys;
    private final VariableCodec<V> values;
    private final @Nullable ToLongFunction<? super K> hash;
    private final PayloadEntries<K, V> alone;

    /**
     * @param table which pins its operations
     * @param hash null if the key's bytes are hashed
     */
    public PayloadEntries(BucketTable table, Payloads payloads, VariableCodec<K> keys, VariableCodec<V> values,
            @Nullable ToLongFunction<? super K> hash) {
        this.table = table;
        this.payloads = payloads;
        this.keys = keys;
        this.values = values;
        this.hash = hash;
        this.alone = table.alone() == table
                ? this
                : new PayloadEntries<>(table.alone(), payloads.alone(), keys, values, hash);
    }

    @Override
    public PayloadEntries<K, V> alone() {
        return alone;
    }

    /** These entries for the only thread that uses this rank's, of which the key must be. */
    private PayloadEntries<K, V> alone(K key) {
        table.checkOwn(owner(key));
        return alone;
    }

    /** Of the bucket: the hash, and the reference. */
    public static Bucket bucket() {
        return new Bucket(Long.BYTES, Long.BYTES);
    }

    /** As the table is told. */
    public static Hashing hashing() {
        return (buffer, position) -> buffer.get(ValueLayout.JAVA_LONG, position);
    }

    @Override
    public BucketTable table() {
        return table;
    }

    /** A key as it is looked for. */
    private final class Target {

        final byte[] key;
        /** Stands for the key in its bucket. */
        final long word;
        final int owner;

        Target(K key) {
            this.key = keys.encode(Objects.requireNonNull(key, "key"));
            long hashed = wordOf(this.key);
            long placed = hash == null ? hashed : KeyHash.of(hash.applyAsLong(key));
            this.owner = table.owner(placed);
            // What stands in a bucket says where its home is in any block.
            this.word = hash == null ? hashed : hashed << Block.HOME_BITS | Block.home(placed);
        }

        Batch batch() {
            Batch batch = table.endpoint.batch(owner);
            placeKey(batch);
            return batch;
        }

        void placeKey(Batch batch) {
            batch.setWord(BucketTable.KEY, word);
        }

        byte @Nullable [] find(Promise.Finding promise) {
            Batch batch = batch();
            long position = table.find(batch, owner, word, promise);
            return position == BucketTable.NONE ? null : valueOf(payloads.read(owner, batch.word(position)), key);
        }
    }

    protected long wordOf(byte[] key) {
        return KeyHash.of(key);
    }

    byte @Nullable [] valueOf(Payload payload, byte[] key) {
        return payload.find(key);
    }

    @Override
    public @Nullable V find(K key, Promise.Finding promise) {
        return promise == Promise.local() ? alone(key).found(key, promise) : found(key, promise);
    }

    private @Nullable V found(K key, Promise.Finding promise) {
        var target = new Target(key);
        Token token = table.begin();
        try {
            byte[] value = target.find(promise);
            return value == null ? null : values.decode(value);
        } finally {
            end(token);
        }
    }

    @Override
    public boolean contains(K key) {
        var target = new Target(key);
        Token token = table.begin();
        try {
            return target.find(Promise.nothing()) != null;
        } finally {
            end(token);
        }
    }

    @Override
    public void find(int owner, List<K> several, BiConsumer<? super K, ? super V> found) {
        List<Target> targets = several.stream().map(Target::new).toList();
        long[] hashes = targets.stream().mapToLong(target -> target.word).toArray();
        List<Integer> present = new ArrayList<>();
        List<Long> references = new ArrayList<>();
        Token token = table.begin();
        try {
            new BulkFind(table, owner, new SeveralKeys<>(targets, hashes, Target::placeKey), (key, batch, bucket) -> {
                long living = table.living(batch, bucket);
                if (living != BucketTable.NONE) {
                    present.add(key);
                    references.add(batch.word(living));
                }
            }).run();
            Iterator<Integer> keys = present.iterator();
            for (Payload payload : payloads.readAll(owner, references)) {
                int key = keys.next();
                byte[] value = valueOf(payload, targets.get(key).key);
                if (value != null) {
                    found.accept(several.get(key), values.decode(value));
                }
            }
        } finally {
            end(token);
        }
    }

    @Override
    public void put(int owner, List<? extends Map.Entry<K, V>> several) {
        several.forEach(this::put);
    }

    @Override
    public int owner(K key) {
        return new Target(key).owner;
    }

    @Override
    public boolean insert(K key, V value, Promise.Inserting promise) {
        return (promise == Promise.local() ? alone(key) : this).change(key, Edit.Put.ifAbsent(value, false));
    }

    @Override
    public @Nullable V putIfAbsent(K key, V value) {
        Edit.Put<V> put = Edit.Put.ifAbsent(value, true);
        change(key, put);
        return put.former;
    }

    @Override
    public boolean change(K key, Edit<V> edit) {
        var target = new Target(key);
        Token token = table.begin();
        try {
            long first = table.firstToChange(target.owner, token);
            return change(new Editing(target, edit, first), Objects.requireNonNull(token));
        } finally {
            end(token);
        }
    }

    private boolean change(Editing change, Token token) {
        try {
            table.change(change.target.batch(), change);
            return change.conclude(token);
        } catch (FabricTimeoutException | SegmentFullException | TableFullException | IllegalStateException failure) {
            change.discardUnlessOffered();
            throw failure;
        }
    }

    // --- in messages: the two lengths in a word, then key and value, each filled up to whole words ---

    @Override
    public long bytesInMessage() {
        return EXPECTED_BYTES_IN_MESSAGE;
    }

    @Override
    public boolean append(K key, V value, Message message) {
        byte[] keyBytes = keys.encode(key);
        byte[] valueBytes = values.encode(value);
        long valueAt = Long.BYTES + Layouts.roundUp(keyBytes.length, Layouts.WORD);
        long position = message.add(valueAt + Layouts.roundUp(valueBytes.length, Layouts.WORD));
        if (position == Message.NO_ROOM) {
            return false;
        }
        MemorySegment words = message.words();
        words.set(ValueLayout.JAVA_LONG, position, (long) keyBytes.length << Integer.SIZE | valueBytes.length);
        copy(keyBytes, words, position + Long.BYTES);
        copy(valueBytes, words, position + valueAt);
        return true;
    }

    private static void copy(byte[] bytes, MemorySegment words, long position) {
        MemorySegment.copy(bytes, 0, words, ValueLayout.JAVA_BYTE, position, bytes.length);
    }

    @Override
    public long insert(MemorySegment message, long position) {
        long lengths = message.get(ValueLayout.JAVA_LONG, position);
        long keyAt = position + Long.BYTES;
        int keyLength = (int) (lengths >>> Integer.SIZE);
        long valueAt = keyAt + Layouts.roundUp(keyLength, Layouts.WORD);
        int valueLength = (int) lengths;
        insert(keys.decode(bytes(message, keyAt, keyLength)), values.decode(bytes(message, valueAt, valueLength)),
                Promise.nothing());
        return valueAt + Layouts.roundUp(valueLength, Layouts.WORD);
    }

    private static byte[] bytes(MemorySegment words, long position, int length) {
        return words.asSlice(position, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private void end(@Nullable Token token) {
        table.end(token);
        payloads.reclaimIfMany(token);
    }

    /** An edit of one key's entry. */
    private final class Editing extends Change {

        private final Target target;
        private final Edit<V> edit;
        private long former; // what the bucket refers to
        private @Nullable Payload payload; // of the former
        private byte @Nullable [] present; // the key's value in it
        private @Nullable Payload next; // what is to be stored
        private @Nullable Payload placed; // what was last about to be stored
        private long reference; // to it
        private boolean offered; // to the bucket, which may have it
        private Outcome outcome = Outcome.KEEP;

        private Editing(Target target, Edit<V> edit, long first) {
            super(target.owner, first, target.word);
            this.target = target;
            this.edit = edit;
        }

        @Override
        protected Outcome decide(Batch batch, long living) {
            offered = false;
            former = living == BucketTable.NONE ? NO_PAYLOAD : batch.word(living);
            payload = former == NO_PAYLOAD ? null : payloads.read(target.owner, former);
            present = payload == null ? null : valueOf(payload, target.key);
            return ofBucket(edit.decide(present()));
        }

        @Override
        protected Outcome compute(Batch batch, long living) {
            return ofBucket(edit.compute(present()));
        }

        private @Nullable PresentValue present() {
            return present == null ? null : new PresentValue(present);
        }

        /** What becomes of the bucket, if this becomes of the key's entry: others may share the payload. */
        private Outcome ofBucket(Outcome ofEntry) {
            outcome = ofEntry;
            next = switch (ofEntry) {
                case STORE -> with(values.encode(Objects.requireNonNull(edit.value)));
                case REMOVE -> Objects.requireNonNull(payload).without(target.key);
                default -> null;
            };
            return ofEntry == Outcome.REMOVE && next != null ? Outcome.STORE : ofEntry;
        }

        private Payload with(byte[] value) {
            return payload == null ? Payload.of(target.key, value) : payload.with(target.key, value);
        }

        @Override
        protected void placeKey(Batch batch) {
            target.placeKey(batch);
        }

        @Override
        protected void place(Batch batch) {
            if (!Objects.equals(placed, next)) {
                discard();
                reference = payloads.store(target.owner, Objects.requireNonNull(next));
                placed = next;
            }
            offered = true;
            placeKey(batch);
            batch.setWord(table.value(), reference);
        }

        /** Returns whether there was no value and one is stored. */
        private boolean conclude(Token token) {
            if (outcome == Outcome.KEEP || next == null) {
                discard();
            }
            if (outcome != Outcome.KEEP && former != NO_PAYLOAD) {
                payloads.retire(token, target.owner, former);
            }
            return outcome == Outcome.STORE && present == null;
        }

        /** If it is certain that no bucket refers to what was to be stored, gives it back. */
        private void discardUnlessOffered() {
            if (!offered) {
                discard();
            }
        }

        private void discard() {
            if (placed != null) {
                placed = null;
                payloads.discard(target.owner, reference);
            }
        }
    }

    private final class PresentValue implements Edit.Present<V> {

        private final byte[] bytes;

        private PresentValue(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public V value() {
            return values.decode(bytes);
        }

        @Override
        public boolean is(V other) {
            return values.canonical() ? Arrays.equals(bytes, values.encode(other)) : value().equals(other);
        }
    }

    // --- all of them ---

    @Override
    public Iterator<Map.Entry<K, V>> iterator(int owner) {
        return new BucketIterator<>(table, owner,
                (batch, key, value, read) -> read(owner, batch.word(value), read));
    }

    private void read(int owner, long reference, Queue<Map.Entry<K, V>> entries) {
        payloads.read(owner, reference)
                .forEach((key, value) -> entries.add(Map.entry(keys.decode(key), values.decode(value))));
    }

    @Override
    public long count(int owner) {
        return table.count(owner, (batch, value) -> count(owner, batch.word(value)));
    }

    private long count(int owner, long reference) {
        return Payloads.hasSeveral(reference) ? payloads.read(owner, reference).count() : 1;
    }
}
