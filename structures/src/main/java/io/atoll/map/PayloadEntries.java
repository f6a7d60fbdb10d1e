package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.codec.VariableCodec;
import io.atoll.completion.Completions;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.failure.SegmentFullException;
import io.atoll.memory.Layouts;
import io.atoll.promise.Promise;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Keys and values of any size, beside the buckets. A bucket has the hash of the key's bytes, and a reference to the
 * {@link Payload} that has key and value. Keys of equal hashes, if there ever are some, share a bucket and its payload.
 * The bytes decide which key is meant.
 *
 * <p>A payload is written before a bucket refers to it, and never changes. An operation that changes the bucket retires
 * the payload that the bucket referred to before. Operations are pinned as long as they follow references. An operation
 * can be cut short by a death, or by a connection that breaks. It then loses at most one payload. That is the new one
 * to which no bucket refers yet, or the old one to which none refers any more. If the process lives, the bucket most
 * often tells which of the two it is, and none is lost.
 */
class PayloadEntries<K, V> extends Entries<K, V> {

    /** The most attempts. Another attempt is worth making only because something was freed. */
    private static final int MOST_ATTEMPTS = 16;

    private static final long EXPECTED_BYTES_IN_MESSAGE = Layouts.CACHE_LINE;

    final Payloads payloads;
    private final VariableCodec<K> keys;
    final VariableCodec<V> values;
    private final @Nullable ToLongFunction<? super K> hash;
    private final KeyHash hashing;
    private final PayloadEntries<K, V> alone;

    /**
     * @param table which pins its operations
     * @param hash null if the key's bytes are hashed
     */
    public PayloadEntries(BucketTable table, Payloads payloads, VariableCodec<K> keys, VariableCodec<V> values,
            @Nullable ToLongFunction<? super K> hash) {
        super(table);
        this.payloads = payloads;
        this.keys = keys;
        this.values = values;
        this.hash = hash;
        this.hashing = new KeyHash(table.participant().seed());
        this.alone = table.alone() == table
                ? this
                : new PayloadEntries<>(table.alone(), payloads.alone(), keys, values, hash);
    }

    @Override
    PayloadEntries<K, V> alone() {
        return alone;
    }

    /** Returns the layout of a bucket: the hash, and the reference. */
    public static Bucket bucket() {
        return new Bucket(Long.BYTES, Long.BYTES);
    }

    /** Returns the hashing that the table uses. */
    public static Hashing hashing() {
        return (buffer, position) -> buffer.get(ValueLayout.JAVA_LONG, position);
    }

    /** Returns the key as it is looked for. */
    private LookupKey lookupKey(K key) {
        byte[] bytes = keys.encode(Objects.requireNonNull(key, "key"));
        return hash == null ? lookupKey(bytes) : lookupKey(bytes, hashing.of(hash.applyAsLong(key)));
    }

    /** Returns the lookup key of a key that is hashed by its bytes. */
    private LookupKey lookupKey(byte[] key) {
        long hashed = wordOf(key);
        return new LookupKey(key, hashed, table.owner(hashed));
    }

    /**
     * Returns the lookup key of a key that a function of the user's hashes. The word in its bucket says where its home
     * is in any block.
     */
    private LookupKey lookupKey(byte[] key, long placed) {
        return new LookupKey(key, wordOf(key) << Block.HOME_BITS | Block.home(placed), table.owner(placed));
    }

    private LookupKey encodedKey(byte[] key) {
        return hash == null ? lookupKey(key) : lookupKey(key, hashing.of(hash.applyAsLong(keys.decode(key))));
    }

    private Batch batchWith(LookupKey lookup) {
        Batch batch = table.endpoint.batch(lookup.owner());
        lookup.placeKey(batch);
        return batch;
    }

    private byte @Nullable [] findByVerbs(LookupKey lookup, Promise.Reading promise) {
        Batch batch = batchWith(lookup);
        long position = table.find(batch, lookup.owner(), lookup.word(), promise);
        return position == BucketReader.NONE
                ? null
                : valueOf(payloads.read(lookup.owner(), batch.word(position)), lookup.key());
    }

    /** Returns the word that stands for the key in its bucket. */
    long wordOf(byte[] key) {
        return hashing.of(key);
    }

    byte @Nullable [] valueOf(Payload payload, byte[] key) {
        return payload.find(key);
    }

    @Override
    @Nullable V findHere(K key, Promise.Reading promise) {
        LookupKey lookup = lookupKey(key);
        Token token = table.begin();
        try {
            byte[] value = findByVerbs(lookup, promise);
            return value == null ? null : values.decode(value);
        } finally {
            end(token);
        }
    }

    @Override
    boolean contains(K key) {
        LookupKey lookup = lookupKey(key);
        Token token = table.begin();
        try {
            return findByVerbs(lookup, Promise.nothing()) != null;
        } finally {
            end(token);
        }
    }

    @Override
    void findTogether(List<K> several, BiConsumer<? super K, ? super V> found, LostOwners lost) {
        List<LookupKey> lookups = several.stream().map(this::lookupKey).toList();
        List<Integer> present = new ArrayList<>();
        List<Payloads.Located> references = new ArrayList<>();
        Token token = table.begin();
        try {
            new BulkFind(table.reader, severalKeys(lookups), (key, batch, bucket) -> {
                long living = table.reader.living(batch, bucket);
                if (living != BucketReader.NONE) {
                    present.add(key);
                    references.add(new Payloads.Located(lookups.get(key).owner(), batch.word(living)));
                }
            }, lost).run();
            Iterator<Integer> keys = present.iterator();
            for (Payload payload : payloads.readAll(references, lost)) {
                int key = keys.next();
                byte[] value = payload == null ? null : valueOf(payload, lookups.get(key).key());
                if (value != null) {
                    found.accept(several.get(key), values.decode(value));
                }
            }
        } finally {
            end(token);
        }
    }

    private static SeveralKeys<LookupKey> severalKeys(List<LookupKey> lookups) {
        return new SeveralKeys<>(lookups, lookups.stream().mapToLong(LookupKey::word).toArray(),
                lookups.stream().mapToInt(LookupKey::owner).toArray(), LookupKey::placeKey);
    }

    @Override
    List<Map.Entry<K, V>> putTogether(List<Map.Entry<K, V>> several, LostOwners lost) {
        List<PayloadPut<V>> puts = several.stream()
                .map(entry -> new PayloadPut<>(lookupKey(entry.getKey()), entry.getValue()))
                .toList();
        int[] left = bulkPut(new SeveralKeys<>(puts, puts.stream().mapToLong(put -> put.key.word()).toArray(),
                puts.stream().mapToInt(put -> put.key.owner()).toArray(), (put, batch) -> put.key.placeKey(batch)),
                lost).putAll();
        return IntStream.of(left).mapToObj(several::get).toList();
    }

    /** Returns what stores the values of other ranks. */
    PayloadBulkPut<V> bulkPut(SeveralKeys<PayloadPut<V>> puts, LostOwners lost) {
        return new PayloadBulkPut<>(this, puts, lost);
    }

    @Override
    int owner(K key) {
        return lookupKey(key).owner();
    }

    @Override
    boolean insert(K key, V value) {
        return change(key, Edit.insert(value));
    }

    @Override
    @Nullable V putIfAbsent(K key, V value) {
        Edit.GetAndPut<V> put = Edit.putIfAbsent(value);
        change(key, put);
        return put.former;
    }

    @Override
    boolean change(K key, Edit<V> edit) {
        return change(lookupKey(key), edit);
    }

    @Override
    <R> CompletionStage<R> submitFar(Completions completions, K key, Edit<V> edit, Function<Boolean, R> result,
            Supplier<R> whole) {
        return completions.submitAlone(table.endpoint, whole);
    }

    private boolean change(LookupKey lookup, Edit<V> edit) {
        for (int attempts = 0;; attempts++) {
            Token token = Objects.requireNonNull(table.beginToChange());
            PayloadChange<V> change = null;
            SegmentFullException failure;
            try {
                change = new PayloadChange<>(this, lookup, edit, table.firstToChange(lookup.owner(), token), token);
                return change(change);
            } catch (SegmentFullException full) {
                failure = full;
            } finally {
                end(token);
            }
            // What this thread has retired last may have waited for the pin that has just ended.
            if (change == null || change.isComputed() || attempts == MOST_ATTEMPTS
                    || !payloads.relieve(lookup.owner())) {
                throw failure;
            }
        }
    }

    private boolean change(PayloadChange<V> change) {
        try {
            table.change(change);
            return change.conclude();
        } catch (Throwable failure) {
            change.giveBackAfter(failure);
            throw failure;
        }
    }

    // --- in messages ---

    @Override
    long bytesInMessage() {
        return EXPECTED_BYTES_IN_MESSAGE;
    }

    @Override
    boolean append(K key, V value, Message message) {
        return EncodedEntry.append(keys.encode(key), values.encode(value), message);
    }

    @Override
    long insert(MemorySegment message, long position) {
        EncodedEntry entry = EncodedEntry.at(message, position);
        // Inserted as it is encoded: its value may be one that cannot be decoded here.
        change(encodedKey(entry.key()), new Edit.InsertEncoded<>(entry.value()));
        return entry.end();
    }

    @Override
    long decode(MemorySegment message, long position, BiConsumer<? super K, ? super V> visitor) {
        EncodedEntry entry = EncodedEntry.at(message, position);
        visitor.accept(keys.decode(entry.key()), values.decode(entry.value()));
        return entry.end();
    }

    private void end(@Nullable Token token) {
        table.end(token);
        payloads.reclaimIfMany(token);
    }

    // --- all of them ---

    @Override
    BucketIterator<Map.Entry<K, V>> iterator(int owner) {
        return new BucketIterator<>(table.reader, owner,
                (batch, key, value, read) -> read(owner, batch.word(value), read));
    }

    @Override
    Iterator<K> keys(int owner) {
        return new BucketIterator<>(table.reader, owner, (batch, bucket, value, read) -> payloads
                .read(owner, batch.word(value))
                .forEach((key, ignored) -> read.add(keys.decode(key))));
    }

    private void read(int owner, long reference, Queue<Map.Entry<K, V>> entries) {
        payloads.read(owner, reference)
                .forEach((key, value) -> entries.add(Map.entry(keys.decode(key), values.decode(value))));
    }

    @Override
    long count(int owner) {
        return table.count(owner, (batch, value) -> count(owner, batch.word(value)));
    }

    private long count(int owner, long reference) {
        return PayloadReference.hasSeveral(reference) ? payloads.read(owner, reference).count() : 1;
    }
}
