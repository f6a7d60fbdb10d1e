package io.atoll.map.longs;

import io.atoll.codec.KeyHash;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Verb;
import io.atoll.map.block.Block;
import io.atoll.map.growth.Blocks;
import io.atoll.map.growth.Mover;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.promise.Promise;
import io.atoll.world.Participant;
import io.atoll.world.waiting.Doing;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of a map of longs on {@link LongBucket}s, four of which share a cache line.
 *
 * <p>A key's hash names a bucket; if that is taken the others of its line follow, around the line's end, then the next lines. So one read brings all
 * the places where a key most likely is. Buckets never become FREE again.
 *
 * <p>A bucket that is FREE or RESERVED ends every search: it is not the key's yet, and nothing lies behind it, because who inserts a key waits at a
 * RESERVED bucket. (Passing it, two could insert one key twice.) Nobody waits anywhere else. What a dead inserter has reserved becomes
 * VOID, which everyone passes: its key may be in it already, and were it FREE again, that key could be read together with the value of the next.
 *
 * <p>Where blocks grow, buckets become final one after the other, and a search that comes to one that is MOVED with its key, or is CLOSED, goes on in the next block; so does
 * one that finds no end. It passes those of other keys. So a key is in the next block only if its path in this one has said so for good; what stands there
 * before is a copy that nobody looks at yet. {@linkplain #move Who moves a bucket} first copies what it sees, then makes the bucket MOVED by one compare-and-exchange that
 * fails if it is not what was copied: no increment is lost, and nobody waits.
 *
 * <p>What a test overrides to break the protocol, or to stand still in the middle of it, is not private.
 */
public class LongTable implements Mover {

    private static final long FULL = Long.MIN_VALUE;

    /** Buckets that are read at once. */
    public static final int LINE_BUCKETS = (int) (Layouts.CACHE_LINE / LongBucket.SIZE);
    private static final long LINE_MASK = Layouts.CACHE_LINE - 1;

    /** What the key of a bucket reads as that nobody has written yet. */
    static final long UNWRITTEN = 0;

    /** So often a bucket is copied that is being changed all the time; then it waits for the next who moves buckets. */
    private static final int ATTEMPTS_TO_MOVE = 16;

    public final Endpoint endpoint;
    public final Blocks blocks;
    private final String name;
    private final Participant participant;
    private final long ownReservation;
    private final LongTable alone;

    public LongTable(String name, Participant participant, Blocks blocks) {
        this(name, participant, blocks, participant.endpoint(), false);
    }

    /** @param isAlone whether the endpoint is for a thread that is alone with this rank's entries */
    private LongTable(String name, Participant participant, Blocks blocks, Endpoint endpoint, boolean isAlone) {
        this.name = name;
        this.participant = participant;
        this.endpoint = endpoint;
        this.alone = isAlone ? this : new LongTable(name, participant, blocks, endpoint.alone(), true);
        this.blocks = blocks;
        this.ownReservation = LongBucket.reserved(participant.rank(), participant.incarnation());
    }

    private int owner(long hash) {
        return KeyHash.rank(hash, blocks.ranks());
    }

    /** The rank in whose segment the key belongs. */
    public final int ownerOf(long key) {
        return owner(KeyHash.of(key));
    }

    /** This table for the only thread that uses this rank's entries, of which the key must be. */
    private LongTable alone(long key) {
        participant.checkOwn(name, ownerOf(key));
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

    public long find(long key, long otherwise) {
        Blocks found = blocks;
        Token token = found.begin();
        try {
            return find(found, key, otherwise);
        } finally {
            found.end(token);
        }
    }

    /**
     * The first look by itself, in as few instructions as can be, for two reasons: the next find's memory access begins while this one's is under way; and what is much
     * larger, HotSpot does not compile into its callers once it has been compiled by itself (InlineSmallCode). Of that each variable which is still needed behind a check
     * takes more than the check does, so the rest begins anew.
     */
    private long find(Blocks found, long key, long otherwise) {
        long hash = KeyHash.of(key);
        int owner = KeyHash.rank(hash, found.ranks());
        long first = found.first(owner);
        LocalMemory mapped = endpoint.mapped(owner);
        if (mapped != null && !endpoint.isSampled(hash)) {
            long bucket = bucket(first, Block.home(first, hash));
            long word = mapped.get(bucket + LongBucket.VALUE);
            boolean same = mapped.get(bucket + LongBucket.KEY) == key;
            mapped.acquireFence();
            if (same && LongBucket.isPresent(word) && key != UNWRITTEN) {
                return LongBucket.value(word);
            }
        }
        return search(key, otherwise);
    }

    /** By verbs, which are seen one by one, or on mapped memory, where a sampled find is seen. */
    private long search(long key, long otherwise) {
        long hash = KeyHash.of(key);
        int owner = owner(hash);
        LocalMemory mapped = endpoint.mapped(owner);
        boolean sampled = mapped != null && endpoint.isSampled(hash);
        long began = sampled ? endpoint.beginSampledRead(owner) : 0;
        long word = fetch(mapped, owner, blocks.first(owner), hash, key);
        if (sampled) {
            endpoint.endSampledRead(owner, began);
        }
        return LongBucket.isPresent(word) ? LongBucket.value(word) : otherwise;
    }

    /** If only finds are promised as if nothing is: there is nothing that costs less. */
    public long find(long key, long otherwise, Promise.Finding promise) {
        return promise == Promise.local() ? alone(key).find(key, otherwise) : find(key, otherwise);
    }

    /** The words of several keys, or ones that are not present. */
    public long[] words(long[] keys) {
        return new LongBulkFind(this, keys).words();
    }

    private long fetch(@Nullable LocalMemory mapped, int owner, long first, long hash, long key) {
        while (true) {
            long bucket = locate(mapped, owner, first, hash, key);
            long word = bucket < 0 ? LongBucket.ABSENT : located(mapped, owner, bucket);
            // Where looking costs nothing it may have been moved since it was found.
            if (!LongBucket.isMoved(word)) {
                return word;
            }
        }
    }

    /** As {@link #fetch}, by verbs. The operation must have begun. */
    long word(int owner, long first, long key) {
        return fetch(endpoint.mapped(owner, Verb.READ, 1), owner, first, KeyHash.of(key), key);
    }

    public boolean insert(long key, long value) {
        long hash = KeyHash.of(key);
        int owner = owner(hash);
        Token token = blocks.begin();
        try {
            long first = blocks.firstToChange(owner, token, this);
            // Without a look first: into a bucket that is free, as most are, an insertion costs A + W.
            long home = bucket(first, Block.home(first, hash));
            return occupy(owner, home, key, value) == LongBucket.FREE
                    ? counted(owner, first, home, hash)
                    : !LongBucket.isPresent(place(owner, first, hash, key, value, false));
        } finally {
            blocks.end(token);
        }
    }

    /** If only insertions are promised as if nothing is: those of others must not be lost either. */
    public boolean insert(long key, long value, Promise.Inserting promise) {
        return promise == Promise.local() ? alone(key).insert(key, value) : insert(key, value);
    }

    private boolean counted(int owner, long first, long bucket, long hash) {
        blocks.count(owner, first, bucket, hash, Blocks.ADDED);
        return true;
    }

    public boolean put(long key, long value) {
        long hash = KeyHash.of(key);
        int owner = owner(hash);
        Token token = blocks.begin();
        try {
            long first = blocks.firstToChange(owner, token, this);
            return !LongBucket.isPresent(place(owner, first, hash, key, value, true));
        } finally {
            blocks.end(token);
        }
    }

    /** Makes sure that the key has a value, this one if it had none or is to have it replaced; returns the word that was there. */
    private long place(int owner, long first, long hash, long key, long value, boolean replacing) {
        while (true) {
            LocalMemory mapped = endpoint.mapped(owner, Verb.READ, 1);
            long bucket = locate(mapped, owner, first, hash, key);
            if (bucket < 0) {
                if (claim(owner, first, bucket, hash, key, value)) {
                    return LongBucket.ABSENT;
                }
                continue;
            }
            long seen = exchange(owner, bucket, located(mapped, owner, bucket), LongBucket.present(value), replacing);
            if (!LongBucket.isMoved(seen)) {
                if (!LongBucket.isPresent(seen)) {
                    blocks.count(owner, first, bucket, hash, Blocks.REVIVED);
                }
                return seen;
            }
        }
    }

    /**
     * Inserts a new key, unless another takes the bucket first, or has: then waits until that key is there.
     *
     * @param located what {@link #locate} says of a key that it does not find
     */
    private boolean claim(int owner, long first, long located, long hash, long key, long value) {
        if (located == FULL) {
            blocks.grow(owner, first);
            return false;
        }
        long witness = occupy(owner, ~located, key, value);
        if (waitsAt(witness)) {
            settle(owner, ~located, witness);
        }
        return witness == LongBucket.FREE && counted(owner, first, ~located, hash);
    }

    /** Puts the entry into the bucket if that is FREE; returns what it was. */
    private long occupy(int owner, long bucket, long key, long value) {
        int hold = participant.reservations().hold(owner, bucket);
        boolean reserved = !endpoint.executesAtOnce(owner); // may be, then, whatever becomes of the exchange
        try {
            long witness = endpoint.compareAndExchange(owner, bucket, LongBucket.FREE, ownReservation);
            if (witness == LongBucket.FREE) {
                reserved = true;
                fill(owner, bucket, key, value);
            }
            participant.reservations().release(hold);
            return witness;
        } catch (RuntimeException | Error failure) {
            if (reserved) {
                participant.reservations().undo(hold, owner, () -> repair(owner, bucket, ownReservation));
            }
            throw failure;
        }
    }

    /** Exchanges the word of a located bucket, unless it is moved, or present and not to be replaced; returns what was there. */
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

    /** Whether the key had the expected value. */
    public boolean compareAndSet(long key, long expected, long value) {
        long hash = KeyHash.of(key);
        int owner = owner(hash);
        Token token = blocks.begin();
        try {
            long first = blocks.firstToChange(owner, token, this);
            return exchange(owner, first, hash, key, LongBucket.present(expected), LongBucket.present(value));
        } finally {
            blocks.end(token);
        }
    }

    private boolean exchange(int owner, long first, long hash, long key, long expected, long word) {
        while (true) {
            LocalMemory mapped = endpoint.mapped(owner, Verb.READ, 1);
            long bucket = locate(mapped, owner, first, hash, key);
            long seen = bucket < 0 ? LongBucket.ABSENT : located(mapped, owner, bucket);
            if (seen == expected) {
                seen = endpoint.compareAndExchange(owner, bucket, expected, word);
            }
            if (!LongBucket.isMoved(seen)) {
                return seen == expected;
            }
        }
    }

    /** Returns the value that was removed, or {@code otherwise}. */
    public long remove(long key, long otherwise) {
        long hash = KeyHash.of(key);
        int owner = owner(hash);
        Token token = blocks.begin();
        try {
            long first = blocks.firstToChange(owner, token, this);
            long removed = remove(owner, first, hash, key);
            return LongBucket.isPresent(removed) ? LongBucket.value(removed) : otherwise;
        } finally {
            blocks.end(token);
        }
    }

    /** Returns the word that was removed, or one that is not present. */
    private long remove(int owner, long first, long hash, long key) {
        while (true) {
            LocalMemory mapped = endpoint.mapped(owner, Verb.READ, 1);
            long bucket = locate(mapped, owner, first, hash, key);
            long seen = bucket < 0 ? LongBucket.ABSENT : located(mapped, owner, bucket);
            while (LongBucket.isPresent(seen)) {
                long witness = endpoint.compareAndExchange(owner, bucket, seen, LongBucket.ABSENT);
                if (witness == seen) {
                    blocks.count(owner, first, bucket, hash, Blocks.REMOVED);
                    return seen;
                }
                seen = witness;
            }
            if (!LongBucket.isMoved(seen)) {
                return seen;
            }
        }
    }

    /** Returns the value after the increment. */
    public long increment(long key, long delta) {
        long hash = KeyHash.of(key);
        int owner = owner(hash);
        Token token = blocks.begin();
        try {
            return increment(owner, blocks.firstToChange(owner, token, this), hash, key, delta);
        } finally {
            blocks.end(token);
        }
    }

    private long increment(int owner, long first, long hash, long key, long delta) {
        while (true) {
            LocalMemory mapped = endpoint.mapped(owner, Verb.READ, 1);
            long bucket = locate(mapped, owner, first, hash, key);
            if (bucket < 0) {
                if (claim(owner, first, bucket, hash, key, delta)) {
                    return delta;
                }
                continue;
            }
            long seen = located(mapped, owner, bucket);
            if (LongBucket.isPresent(seen)) {
                checkSum(key, LongBucket.value(seen), delta);
                long before = add(owner, bucket, delta);
                if (LongBucket.isPresent(before)) {
                    return LongBucket.value(before) + delta;
                }
            } else if (!LongBucket.isMoved(seen)
                    && endpoint.compareAndExchange(owner, bucket, seen, LongBucket.present(delta)) == seen) {
                blocks.count(owner, first, bucket, hash, Blocks.REVIVED);
                return delta;
            }
        }
    }

    /** One verb, so that it takes effect on a living value entirely or, on one that was removed or moved meanwhile, not at all. */
    long add(int owner, long bucket, long delta) {
        return endpoint.getAndAdd(owner, bucket, delta);
    }

    /** Before it is made: a sum that does not fit must never be there, not even for an instant. */
    private static void checkSum(long key, long value, long delta) {
        long sum = value + delta;
        if (delta > 0 && sum > LongBucket.LARGEST_VALUE || delta < 0 && sum < LongBucket.SMALLEST_VALUE) {
            throw new ArithmeticException("the sum leaves the map's range: key=" + key + " value=" + value + " delta="
                    + delta);
        }
    }

    void fill(int owner, long bucket, long key, long value) {
        LocalMemory mapped = endpoint.mapped(owner, Verb.WRITE, 2);
        if (mapped != null) {
            mapped.setRelease(bucket + LongBucket.KEY, key);
            // (1) after the key: pairs with the second look in written (2). An exchange: a load of what the caller does next could overtake a store, and two who
            // insert could miss each other's key. A fence behind a store takes three times as long.
            mapped.getAndSet(bucket + LongBucket.VALUE, LongBucket.present(value));
            return;
        }
        Batch batch = endpoint.batch(owner);
        if (arrivesWhole(owner)) {
            batch.setWord(LongBucket.VALUE, LongBucket.present(value));
            batch.setWord(LongBucket.KEY, key);
            batch.write(owner, bucket, 0, LongBucket.SIZE);
        } else {
            batch.writeWord(owner, bucket + LongBucket.KEY, key);
            // (1) likewise, in the order of the batch.
            batch.writeWord(owner, bucket + LongBucket.VALUE, LongBucket.present(value));
        }
        batch.complete();
    }

    /**
     * Finds the bucket of the key, its word then {@linkplain #located at hand}; or the complement of the one where it is to be inserted, FREE or RESERVED; or
     * {@link #FULL}. Returns offsets.
     *
     * @param mapped the owner's segment as the operation has found it: a rank may go, and others may listen to the verbs, in the middle of one
     */
    private long locate(@Nullable LocalMemory mapped, int owner, long first, long hash, long key) {
        long block = first;
        while (true) {
            long bucket = locateIn(mapped, owner, block, hash, key);
            if (bucket != FULL && (bucket < 0 || !LongBucket.isMoved(located(mapped, owner, bucket)))) {
                return bucket;
            }
            block = blocks.next(owner, block);
            if (block == Block.NONE) {
                return FULL;
            }
        }
    }

    /** As {@link #locate}, in one block; also a bucket from which the key was moved. {@link #FULL} if the path ends without a place for it. */
    private long locateIn(@Nullable LocalMemory mapped, int owner, long block, long hash, long key) {
        LocalMemory source = mapped != null ? mapped : endpoint.batch(owner).memory();
        long home = Block.home(block, hash);
        for (long steps = 0; steps < Block.buckets(block); steps++) {
            long bucket = bucket(block, Block.bucket(block, home, steps, LINE_BUCKETS));
            if (mapped == null && steps % LINE_BUCKETS == 0) {
                read(owner, bucket & ~LINE_MASK);
            }
            long at = mapped != null ? bucket : bucket & LINE_MASK;
            long word = source.get(at + LongBucket.VALUE);
            long seen = source.get(at + LongBucket.KEY);
            source.acquireFence();
            if (LongBucket.hasKey(word)) {
                if (written(owner, bucket, seen) == key) {
                    return bucket;
                }
            } else if (word == LongBucket.FREE || waitsAt(word)) {
                return ~bucket;
            }
            if (endsAt(word)) {
                return FULL;
            }
        }
        return FULL;
    }

    /** Whether nothing lies behind this bucket, nor ever will. */
    boolean endsAt(long word) {
        return word == LongBucket.CLOSED;
    }

    /**
     * The key of a bucket that has one. Where the two words may have been read in any order, a key that reads as unwritten memory does is read again, now
     * that the word which publishes it has been seen. Any other is the bucket's, for good.
     */
    long written(int owner, long bucket, long seen) {
        // (2) acquire, behind the fence after the word (1).
        return seen != UNWRITTEN || arrivesWhole(owner)
                ? seen
                : endpoint.readWord(owner, bucket + LongBucket.KEY);
    }

    private boolean arrivesWhole(int owner) {
        return endpoint.atomicReadBytes(owner) >= LongBucket.SIZE;
    }

    /** The word of a bucket as {@link #locate} has seen it, or as it is where looking costs nothing. */
    private long located(@Nullable LocalMemory mapped, int owner, long bucket) {
        return mapped != null
                ? mapped.getAcquire(bucket)
                : endpoint.batch(owner).word(bucket & LINE_MASK);
    }

    private void read(int owner, long line) {
        Batch batch = endpoint.batch(owner);
        batch.read(owner, line, 0, Layouts.CACHE_LINE);
        batch.complete();
    }

    boolean waitsAt(long word) {
        return LongBucket.isReserved(word);
    }

    private void settle(int owner, long bucket, long reserved) {
        participant.reservations()
                .awaitSettled(owner, bucket, reserved, LongBucket.rank(reserved), LongBucket.incarnation(reserved),
                        () -> repair(owner, bucket, reserved), new Doing("insert into", name));
    }

    private void repair(int owner, long bucket, long reserved) {
        endpoint.compareAndExchange(owner, bucket, reserved, repaired());
    }

    long repaired() {
        return LongBucket.VOID;
    }

    // --- moving ---

    @Override
    public boolean move(int owner, long block, long index, long next) {
        long bucket = bucket(block, index);
        for (int attempt = 0; attempt < ATTEMPTS_TO_MOVE; attempt++) {
            long word = endpoint.readWord(owner, bucket);
            if (LongBucket.isFinal(word)) {
                return true;
            }
            if (LongBucket.isReserved(word)) {
                if (!isSettled(owner, bucket, word)) {
                    return false;
                }
            } else if (word == LongBucket.FREE) {
                if (endpoint.compareAndExchange(owner, bucket, word, LongBucket.CLOSED) == word) {
                    return true;
                }
            } else {
                long key = endpoint.readWord(owner, bucket + LongBucket.KEY);
                if (!copy(owner, next, key, word)) {
                    return false;
                }
                if (seal(owner, bucket, word)) {
                    countMoved(owner, block, bucket, key, word);
                    return true;
                }
            }
        }
        return false;
    }

    /** Makes the bucket MOVED, unless its word is not any more what was copied. */
    boolean seal(int owner, long bucket, long copied) {
        return endpoint.compareAndExchange(owner, bucket, copied, LongBucket.MOVED) == copied;
    }

    private void countMoved(int owner, long block, long bucket, long key, long word) {
        if (LongBucket.isPresent(word)) {
            blocks.count(owner, block, bucket, KeyHash.of(key), Blocks.REMOVED);
        }
    }

    /**
     * Sees to it that in the next blocks the key has this word, or is not present if it is not. Nobody else touches the key there, but who moves it on. False if
     * that would mean to wait, or there is no room.
     */
    boolean copy(int owner, long next, long key, long word) {
        long hash = KeyHash.of(key);
        while (true) {
            LocalMemory mapped = endpoint.mapped(owner, Verb.READ, 1);
            long bucket = locate(mapped, owner, next, hash, key);
            if (bucket >= 0) {
                if (replace(owner, next, bucket, hash, located(mapped, owner, bucket), word)) {
                    return true;
                }
            } else if (!LongBucket.isPresent(word)) {
                return true;
            } else if (bucket == FULL) {
                if (!blocks.growsIfThereIsRoom(owner, next)) {
                    return false;
                }
            } else {
                long witness = occupy(owner, ~bucket, key, LongBucket.value(word));
                if (witness == LongBucket.FREE) {
                    return counted(owner, next, ~bucket, hash);
                }
                if (waitsAt(witness) && !isSettled(owner, ~bucket, witness)) {
                    return false;
                }
            }
        }
    }

    /** False if it was moved on meanwhile. */
    private boolean replace(int owner, long next, long bucket, long hash, long located, long word) {
        long copy = LongBucket.isPresent(word) ? word : LongBucket.ABSENT;
        if (LongBucket.isMoved(located)) {
            return false;
        }
        if (!replaces(located, copy)) {
            return true;
        }
        if (endpoint.compareAndExchange(owner, bucket, located, copy) != located) {
            return false;
        }
        if (LongBucket.isPresent(located) != LongBucket.isPresent(word)) {
            blocks.count(owner, next, bucket, hash, LongBucket.isPresent(word) ? Blocks.REVIVED : Blocks.REMOVED);
        }
        return true;
    }

    /** Whether an earlier copy, of one who died or was overtaken by a change, must not stay. */
    boolean replaces(long earlier, long copy) {
        return earlier != copy && (LongBucket.isPresent(earlier) || LongBucket.isPresent(copy));
    }

    /** Whether a reserved bucket is not any more, because who had reserved it has died. */
    private boolean isSettled(int owner, long bucket, long reserved) {
        return participant.reservations()
                .isRepaired(owner, LongBucket.rank(reserved), LongBucket.incarnation(reserved),
                        () -> repair(owner, bucket, reserved), new Doing("move", name));
    }

    /** Visits what one rank holds, a bounded number of buckets at a time. */
    public void forEach(int owner, LongVisitor visitor) {
        long from = 0;
        while (from < Block.HOMES) {
            var range = new LongRange(this, owner, from);
            Token token = blocks.begin();
            try {
                range.read(blocks.first(owner));
            } finally {
                blocks.end(token);
            }
            // Nothing is held while others are called: a visitor may use this map.
            range.forEach(visitor);
            from = range.to();
        }
    }

    /** The offset of a bucket, and of its word that tells and counts. */
    static long bucket(long block, long index) {
        return Block.offset(block) + index * LongBucket.SIZE;
    }
}
