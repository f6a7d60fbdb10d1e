package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.epoch.Token;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.LocalMemory;
import io.atoll.promise.Promise;
import io.atoll.promise.PromiseWatch;
import io.atoll.world.Participant;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of a map of longs on {@link LongBucket}s: what becomes of a key's value.
 *
 * <p>An operation that inserts a key waits at a RESERVED bucket: if it passed, two could insert one key twice. No
 * operation waits anywhere else. An operation changes the value of a key that is there by one atomic of one word. If
 * that says that the key has been moved meanwhile, the operation looks for it anew.
 */
class LongTable {

    final LongReader reader;
    final LongWriter writer;
    final LongSearcher searcher;
    final Endpoint endpoint;
    final Blocks blocks;
    private final KeyHash hashing;
    private final @Nullable PromiseWatch watch;
    private final Mover mover;
    private final LongTable alone;
    /** A guess about the next keys that are put together, so any thread's will do. */
    boolean expectsNewKeys = true;

    /** @param watch null if promises are not watched over */
    LongTable(String name, Participant participant, Blocks blocks, @Nullable PromiseWatch watch) {
        var reader = new LongReader(participant.endpoint(), blocks, new KeyHash(participant.seed()));
        this(new LongWriter(name, participant, reader), LongMover::new, watch);
    }

    @SuppressWarnings("this-escape") // the mover keeps it, and asks nothing of it before it moves
    LongTable(LongWriter writer, Function<LongTable, Mover> movers, @Nullable PromiseWatch watch) {
        this.writer = writer;
        this.searcher = new LongSearcher(writer);
        this.reader = writer.reader;
        this.endpoint = reader.endpoint;
        this.blocks = reader.blocks;
        this.hashing = reader.hashing;
        this.watch = watch;
        this.mover = movers.apply(this);
        this.alone = new LongTable(this);
    }

    /** Makes a table for a thread that is alone with this rank's entries. */
    private LongTable(LongTable table) {
        this.writer = table.writer.alone();
        this.searcher = new LongSearcher(writer);
        this.reader = writer.reader;
        this.endpoint = reader.endpoint;
        this.blocks = table.blocks;
        this.hashing = table.hashing;
        this.watch = table.watch;
        this.mover = new LongMover(this);
        this.alone = this;
    }

    /** Checks a use of the map against what callers have promised. Called before each operation. */
    final void enter(MapPromises use) {
        if (watch != null) {
            watch.enter(use);
        }
    }

    private int owner(long hash) {
        return KeyHash.rank(hash, blocks.ranks());
    }

    /** Returns the rank in whose segment the key belongs. */
    public final int ownerOf(long key) {
        return owner(hashing.of(key));
    }

    /** Returns this table for the only thread that uses this rank's entries. The key must be one of them. */
    private LongTable alone(long key) {
        writer.participant.checkOwn(writer.name, ownerOf(key));
        return alone;
    }

    public long buckets() {
        Token token = blocks.begin();
        try {
            return blocks.buckets();
        } finally {
            blocks.end(token);
        }
    }

    public long find(long key, long defaultValue) {
        Blocks found = blocks;
        Token token = found.begin();
        try {
            return find(found, key, defaultValue);
        } finally {
            found.end(token);
        }
    }

    /**
     * Takes only the first look, by as few instructions as possible, for two reasons. The next find's memory access
     * begins while the one of this find is under way. And once HotSpot has compiled a much larger method by itself, it
     * inlines it into no caller (InlineSmallCode). A variable that is still needed behind a check adds more to that
     * size than the check does. So {@link #findByVerbs} begins anew.
     */
    private long find(Blocks found, long key, long defaultValue) {
        long hash = hashing.of(key);
        int owner = KeyHash.rank(hash, found.ranks());
        long first = found.first(owner);
        LocalMemory mapped = endpoint.mappedUniformly(owner);
        if (mapped != null && Block.isWhole(first)) {
            long bucket = Pieces.offset(null, first, Block.home(first, hash), LongBucket.SIZE);
            long word = mapped.get(bucket + LongBucket.VALUE); // (4)
            boolean same = mapped.get(bucket + LongBucket.KEY) == key; // (5)
            mapped.acquireFence();
            if (same && LongBucket.isPresent(word) && key != LongReader.UNWRITTEN) {
                return LongBucket.value(word);
            }
        }
        return findByVerbs(key, defaultValue);
    }

    /** Searches by verbs, or on mapped memory beyond the first look. */
    private long findByVerbs(long key, long defaultValue) {
        long hash = hashing.of(key);
        int owner = owner(hash);
        long first = blocks.first(owner);
        LocalMemory mapped = endpoint.mappedUniformly(owner);
        long word = mapped != null && Block.isWhole(first)
                ? reader.probe(mapped, first, hash, key)
                : LongReader.UNCLEAR;
        if (word == LongReader.UNCLEAR) {
            word = reader.fetch(mapped, owner, first, hash, key);
        }
        return LongBucket.isPresent(word) ? LongBucket.value(word) : defaultValue;
    }

    /**
     * Finds as without a promise, unless the promise is local: {@link Promise#onlyReads} allows nothing that costs
     * less.
     */
    public long find(long key, long defaultValue, Promise.Reading promise) {
        return promise == Promise.local() ? alone(key).find(key, defaultValue) : find(key, defaultValue);
    }

    /** Returns the words of several keys. The word of a key that has no value is not present. */
    public long[] words(long[] keys) {
        LostOwners lost = new LostOwners();
        long[] words = new long[keys.length];
        for (int from = 0; from < keys.length; from += FindRounds.MOST_KEYS) {
            int to = Math.min(keys.length, from + FindRounds.MOST_KEYS);
            new LongBulkFind(reader, Arrays.copyOfRange(keys, from, to), words, from, lost).run();
        }
        lost.throwIfAny();
        return words;
    }

    public boolean insert(long key, long value) {
        long hash = hashing.of(key);
        int owner = owner(hash);
        Token token = blocks.beginToChange();
        try {
            long first = blocks.firstToChange(owner, token, mover);
            if (searcher.isFor(owner)) {
                return !LongBucket.isPresent(place(owner, first, hash, key, value, false));
            }
            // No look first: most buckets are free, and into a free bucket an insertion costs A + W.
            long home = reader.bucket(owner, first, Block.home(first, hash));
            return writer.occupy(owner, home, key, value) == LongBucket.FREE
                    ? writer.counted(owner, first, home, hash)
                    : !LongBucket.isPresent(place(owner, first, hash, key, value, false));
        } finally {
            blocks.end(token);
        }
    }

    /**
     * Inserts as without a promise, unless the promise is local. Under {@link Promise#onlyInserts}, too, no insertion
     * of another thread may be lost.
     */
    public boolean insert(long key, long value, Promise.Inserting promise) {
        return promise == Promise.local() ? alone(key).insert(key, value) : insert(key, value);
    }

    /** Gives the key this value. Returns the word that was there. It is not present if the key had no value. */
    public long put(long key, long value) {
        long hash = hashing.of(key);
        int owner = owner(hash);
        Token token = blocks.beginToChange();
        try {
            long first = blocks.firstToChange(owner, token, mover);
            return place(owner, first, hash, key, value, true);
        } finally {
            blocks.end(token);
        }
    }

    /** Gives several keys their values. */
    public void putAll(long[] keys, long[] values) {
        LostOwners lost = new LostOwners();
        int[] left = new int[keys.length];
        int count = 0;
        for (int key = 0; key < keys.length; key++) {
            // Asked once: meanwhile the rank may come to be reached otherwise, and no key may be forgotten.
            if (endpoint.executesAtOnce(ownerOf(keys[key]))) {
                put(keys[key], values[key], lost);
            } else {
                left[count++] = key;
            }
        }
        left = Arrays.copyOf(left, count);
        while (left.length > 0) {
            left = putTogether(keys, values, left, lost);
            // One of them alone waits for another thread, or grows a block. The others may go round together then.
            if (left.length > 0) {
                put(keys[left[0]], values[left[0]], lost);
                left = Arrays.copyOfRange(left, 1, left.length);
            }
        }
        lost.throwIfAny();
    }

    private void put(long key, long value, LostOwners lost) {
        int owner = ownerOf(key);
        if (lost.has(owner)) {
            return;
        }
        try {
            put(key, value);
        } catch (RankUnreachableException failure) {
            lost.add(owner, failure);
        }
    }

    /** Puts these of the keys together. Returns those that it has not put. */
    private int[] putTogether(long[] keys, long[] values, int[] those, LostOwners lost) {
        int[] left = bulkPut(those(keys, those), those(values, those), lost).run();
        for (int place = 0; place < left.length; place++) {
            left[place] = those[left[place]];
        }
        return left;
    }

    /** Returns the words with these numbers. */
    private static long[] those(long[] words, int[] numbers) {
        long[] those = new long[numbers.length];
        for (int number = 0; number < those.length; number++) {
            those[number] = words[numbers[number]];
        }
        return those;
    }

    LongBulkPut bulkPut(long[] keys, long[] values, LostOwners lost) {
        return new LongBulkPut(this, keys, values, lost);
    }

    /** Returns the block in which a key whose value is to be changed is looked for first. Uses the thread's batch. */
    final long firstToChange(int owner, @Nullable Token token) {
        return blocks.firstToChange(owner, token, mover);
    }

    /**
     * Makes sure that the key has a value: this one if it had none, or if its value is to be replaced. Returns the word
     * that was there.
     */
    private long place(int owner, long first, long hash, long key, long value, boolean replacing) {
        LocalMemory mapped = endpoint.mapped(owner);
        boolean isRead = mapped == null && searcher.isFor(owner);
        if (isRead) {
            long former = replacing
                    ? searcher.put(owner, first, hash, key, value)
                    : searcher.insert(owner, first, hash, key, value);
            if (former != LongReader.UNCLEAR) {
                return former;
            }
        }
        for (;; mapped = endpoint.mapped(owner), isRead = false) {
            long bucket = reader.locate(mapped, owner, first, hash, key, isRead);
            if (bucket < 0) {
                if (claim(owner, first, bucket, hash, key, value)) {
                    return LongBucket.ABSENT;
                }
                continue;
            }
            long seen = exchange(owner, bucket, reader.located(mapped, owner, bucket), LongBucket.present(value),
                    replacing);
            if (!LongBucket.isMoved(seen)) {
                if (!LongBucket.isPresent(seen)) {
                    blocks.note(owner, first, bucket, hash, Blocks.REVIVED);
                }
                return seen;
            }
        }
    }

    /**
     * Inserts a new key and returns true, unless another thread takes the bucket first, or has taken it. Then it waits
     * until that thread's key is there.
     *
     * @param located what {@link LongReader#locate} returns for a key that it does not find
     */
    private boolean claim(int owner, long first, long located, long hash, long key, long value) {
        if (located == LongReader.FULL) {
            blocks.grow(owner, first);
            return false;
        }
        long witness = writer.occupy(owner, ~located, key, value);
        if (reader.waitsAt(witness)) {
            writer.settle(owner, ~located, witness);
        }
        return witness == LongBucket.FREE && writer.counted(owner, first, ~located, hash);
    }

    /**
     * Exchanges the word of a located bucket, unless it is moved, or is present and not to be replaced. Returns the
     * word that was there.
     */
    private long exchange(int owner, long bucket, long located, long word, boolean replacing) {
        long seen = located;
        while (!LongBucket.isMoved(seen) && (replacing || !LongBucket.isPresent(seen))) {
            long witness = endpoint.compareAndExchange(owner, bucket, seen, word);
            if (witness == seen) {
                return seen;
            }
            seen = witness;
        }
        return seen;
    }

    /** Returns true if the key had the expected value. */
    public boolean compareAndSet(long key, long expected, long value) {
        long hash = hashing.of(key);
        int owner = owner(hash);
        Token token = blocks.beginToChange();
        try {
            long first = blocks.firstToChange(owner, token, mover);
            return exchange(owner, first, hash, key, LongBucket.present(expected), LongBucket.present(value));
        } finally {
            blocks.end(token);
        }
    }

    private boolean exchange(int owner, long first, long hash, long key, long expected, long word) {
        LocalMemory mapped = endpoint.mapped(owner);
        boolean isRead = mapped == null && searcher.isFor(owner);
        if (isRead) {
            long seen = searcher.exchange(owner, first, hash, key, expected, word);
            if (seen != LongReader.UNCLEAR && !LongBucket.isMoved(seen)) {
                return seen == expected;
            }
        }
        for (;; mapped = endpoint.mapped(owner), isRead = false) {
            long bucket = reader.locate(mapped, owner, first, hash, key, isRead);
            long seen = bucket < 0 ? LongBucket.ABSENT : reader.located(mapped, owner, bucket);
            if (seen == expected) {
                seen = endpoint.compareAndExchange(owner, bucket, expected, word);
            }
            if (!LongBucket.isMoved(seen)) {
                return seen == expected;
            }
        }
    }

    /** Returns the value that was removed, or {@code defaultValue}. */
    public long remove(long key, long defaultValue) {
        long hash = hashing.of(key);
        int owner = owner(hash);
        Token token = blocks.beginToChange();
        try {
            long first = blocks.firstToChange(owner, token, mover);
            long removed = remove(owner, first, hash, key);
            return LongBucket.isPresent(removed) ? LongBucket.value(removed) : defaultValue;
        } finally {
            blocks.end(token);
        }
    }

    /** Returns the word that was removed, or one that is not present. */
    private long remove(int owner, long first, long hash, long key) {
        LocalMemory mapped = endpoint.mapped(owner);
        boolean isRead = mapped == null && searcher.isFor(owner);
        if (isRead) {
            long removed = searcher.remove(owner, first, hash, key);
            if (removed != LongReader.UNCLEAR) {
                return removed;
            }
        }
        for (;; mapped = endpoint.mapped(owner), isRead = false) {
            long bucket = reader.locate(mapped, owner, first, hash, key, isRead);
            long seen = bucket < 0 ? LongBucket.ABSENT : reader.located(mapped, owner, bucket);
            while (LongBucket.isPresent(seen)) {
                long witness = endpoint.compareAndExchange(owner, bucket, seen, LongBucket.ABSENT);
                if (witness == seen) {
                    blocks.note(owner, first, bucket, hash, Blocks.REMOVED);
                    return seen;
                }
                seen = witness;
            }
            if (!LongBucket.isMoved(seen)) {
                return seen;
            }
        }
    }

    /** Returns the value after the addition. */
    public long increment(long key, long delta) {
        long hash = hashing.of(key);
        int owner = owner(hash);
        Token token = blocks.beginToChange();
        try {
            return increment(owner, blocks.firstToChange(owner, token, mover), hash, key, delta);
        } finally {
            blocks.end(token);
        }
    }

    private long increment(int owner, long first, long hash, long key, long delta) {
        LocalMemory mapped = endpoint.mapped(owner);
        boolean isRead = mapped == null && searcher.isFor(owner);
        if (isRead) {
            long before = searcher.add(owner, first, hash, key, delta);
            if (before != LongReader.UNCLEAR) {
                return LongBucket.isPresent(before) ? LongBucket.value(before) + delta : delta;
            }
        }
        for (;; mapped = endpoint.mapped(owner), isRead = false) {
            long bucket = reader.locate(mapped, owner, first, hash, key, isRead);
            if (bucket < 0) {
                if (claim(owner, first, bucket, hash, key, delta)) {
                    return delta;
                }
                continue;
            }
            long seen = reader.located(mapped, owner, bucket);
            if (LongBucket.isPresent(seen)) {
                checkSum(key, LongBucket.value(seen), delta);
                long before = add(owner, bucket, delta);
                if (LongBucket.isPresent(before)) {
                    return LongBucket.value(before) + delta;
                }
            } else if (!LongBucket.isMoved(seen)
                    && endpoint.compareAndExchange(owner, bucket, seen, LongBucket.present(delta)) == seen) {
                blocks.note(owner, first, bucket, hash, Blocks.REVIVED);
                return delta;
            }
        }
    }

    /**
     * Adds by one verb. So it takes effect entirely on a living value. On a value that was removed or moved meanwhile,
     * it has no effect at all.
     */
    long add(int owner, long bucket, long delta) {
        return endpoint.getAndAdd(owner, bucket, delta);
    }

    /** Checks a sum before it is made: one that does not fit must never be there, not even for an instant. */
    static void checkSum(long key, long value, long delta) {
        long sum = value + delta;
        if (delta > 0 && sum > LongBucket.LARGEST_VALUE || delta < 0 && sum < LongBucket.SMALLEST_VALUE) {
            throw new ArithmeticException("the sum leaves the map's range: key=" + key + " value=" + value + " delta="
                    + delta);
        }
    }

    /** Visits what one rank holds, a bounded number of buckets at a time. */
    public void forEach(int owner, LongVisitor visitor) {
        long from = 0;
        while (from < Block.HOMES) {
            LongRange range = read(owner, from, LongRange.BUCKETS);
            // Hold nothing while the visitor runs: it may use this map.
            range.forEach(visitor);
            from = range.to();
        }
    }

    /**
     * Visits what {@link #forEach} visits in the stretch's next buckets, from a home on. Returns the home at which to
     * continue. Visits nothing if it fails.
     */
    public long forEach(int owner, long from, Stretch stretch, LongVisitor visitor) {
        LongRange range = read(owner, from, stretch.next(LongRange.BUCKETS));
        stretch.add(range.buckets(), range.forEach(visitor));
        return range.to();
    }

    private LongRange read(int owner, long from, long buckets) {
        var range = new LongRange(reader, owner, from, buckets);
        Token token = blocks.begin();
        try {
            range.read(blocks.firstIfAny(owner));
        } finally {
            blocks.end(token);
        }
        return range;
    }
}
