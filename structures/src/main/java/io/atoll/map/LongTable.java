package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Verb;
import io.atoll.failure.TableFullException;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of {@link LongLongMap} on {@link LongBucket}s, four of which share a cache line.
 *
 * <p>A key's hash names a bucket; if that is taken the others of its line follow, around the line's end, then the next lines. So one read brings all
 * the places where a key most likely is. Buckets never become FREE again.
 *
 * <p>A bucket that is FREE or RESERVED ends every search: it is not the key's yet, and nothing lies behind it, because who inserts a key waits at a
 * RESERVED bucket. (Passing it, two could insert one key twice.) Nobody waits anywhere else. What a dead inserter has reserved becomes
 * VOID, which everyone passes: its key may be in it already, and were it FREE again, that key could be read together with the value of the next.
 *
 * <p>What a test overrides to break the protocol, or to stand still in the middle of it, is not private.
 */
class LongTable {

    private static final long FULL = Long.MIN_VALUE;

    static final int LINE_BUCKETS = (int) (Layouts.CACHE_LINE / LongBucket.SIZE);
    private static final int SLOT_MASK = LINE_BUCKETS - 1;

    /** What the key of a bucket reads as that nobody has written yet. */
    private static final long UNWRITTEN = 0;

    final Endpoint endpoint;
    private final String name;
    private final Participant participant;
    private final Placement placement;
    private final long[] blocks;
    private final long ownReservation;

    /** @param blocks where the buckets begin in each rank's segment, at cache lines */
    LongTable(String name, Participant participant, Placement placement, long[] blocks) {
        this.name = name;
        this.participant = participant;
        this.endpoint = participant.endpoint();
        this.placement = placement;
        this.blocks = blocks;
        this.ownReservation = LongBucket.reserved(participant.rank(), participant.incarnation());
    }

    Placement placement() {
        return placement;
    }

    long find(long key, long otherwise) {
        long hash = KeyHash.of(key);
        int owner = placement.owner(hash);
        long home = placement.home(hash);
        LocalMemory mapped = endpoint.mapped(owner);
        long word = mapped != null && !endpoint.isSampled(hash)
                ? find(mapped, owner, home, key)
                : findObserved(mapped, owner, home, key);
        return LongBucket.isPresent(word) ? LongBucket.value(word) : otherwise;
    }

    /** By verbs, which are seen one by one, or a sampled one on mapped memory. */
    private long findObserved(@Nullable LocalMemory mapped, int owner, long home, long key) {
        if (mapped == null) {
            return fetch(null, owner, home, key);
        }
        long began = endpoint.beginSampledRead(owner);
        long word = find(mapped, owner, home, key);
        endpoint.endSampledRead(owner, began);
        return word;
    }

    /**
     * The key's word, or one that is not present. As few instructions as can be, the first look by itself: the next find's memory access begins while
     * this one's is under way.
     */
    private long find(LocalMemory memory, int owner, long home, long key) {
        long offset = wordOf(owner, home);
        long word = memory.get(offset + LongBucket.VALUE);
        boolean same = memory.get(offset + LongBucket.KEY) == key;
        memory.acquireFence();
        return same && LongBucket.hasKey(word) && key != UNWRITTEN ? word : fetch(memory, owner, home, key);
    }

    private long fetch(@Nullable LocalMemory mapped, int owner, long home, long key) {
        long bucket = locate(mapped, owner, home, key);
        return bucket < 0 ? LongBucket.ABSENT : located(mapped, owner, bucket);
    }

    boolean insert(long key, long value) {
        long hash = KeyHash.of(key);
        int owner = placement.owner(hash);
        long home = placement.home(hash);
        // Without a look first: into a bucket that is free, as most are, an insertion costs A + W.
        return occupy(owner, home, key, value) == LongBucket.FREE
                || !LongBucket.isPresent(place(owner, home, key, value, false));
    }

    boolean put(long key, long value) {
        long hash = KeyHash.of(key);
        return !LongBucket.isPresent(place(placement.owner(hash), placement.home(hash), key, value, true));
    }

    /** Makes sure that the key has a value, this one if it had none or is to have it replaced; returns the word that was there. */
    private long place(int owner, long home, long key, long value, boolean replacing) {
        while (true) {
            LocalMemory mapped = endpoint.mapped(owner, Verb.READ, 1);
            long bucket = locate(mapped, owner, home, key);
            if (bucket >= 0) {
                return exchange(owner, bucket, located(mapped, owner, bucket), LongBucket.present(value), replacing);
            }
            if (claim(owner, bucket, key, value)) {
                return LongBucket.ABSENT;
            }
        }
    }

    /**
     * Inserts a new key, unless another takes the bucket first, or has: then waits until that key is there.
     *
     * @param located what {@link #locate} says of a key that it does not find
     */
    private boolean claim(int owner, long located, long key, long value) {
        if (located == FULL) {
            throw new TableFullException(name, owner, placement.buckets());
        }
        long witness = occupy(owner, ~located, key, value);
        if (waitsAt(witness)) {
            settle(owner, ~located, witness);
        }
        return witness == LongBucket.FREE;
    }

    /** Puts the entry into the bucket if that is FREE; returns what it was. */
    private long occupy(int owner, long bucket, long key, long value) {
        int hold = participant.reservations().hold(owner, wordOf(owner, bucket));
        boolean reserved = !endpoint.executesAtOnce(owner); // may be, then, whatever becomes of the exchange
        try {
            long witness = endpoint.compareAndExchange(owner, wordOf(owner, bucket), LongBucket.FREE, ownReservation);
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

    /** Exchanges the word of a located bucket, unless it is present and not to be replaced; returns what was there. */
    private long exchange(int owner, long bucket, long located, long word, boolean replacing) {
        long seen = located;
        while (replacing || !LongBucket.isPresent(seen)) {
            long witness = endpoint.compareAndExchange(owner, wordOf(owner, bucket), seen, word);
            if (witness == seen) {
                return seen;
            }
            seen = witness;
        }
        return seen;
    }

    /** Returns the value that was removed, or {@code otherwise}. */
    long remove(long key, long otherwise) {
        long hash = KeyHash.of(key);
        int owner = placement.owner(hash);
        LocalMemory mapped = endpoint.mapped(owner, Verb.READ, 1);
        long bucket = locate(mapped, owner, placement.home(hash), key);
        long seen = bucket < 0 ? LongBucket.ABSENT : located(mapped, owner, bucket);
        while (LongBucket.isPresent(seen)) {
            long witness = endpoint.compareAndExchange(owner, wordOf(owner, bucket), seen, LongBucket.ABSENT);
            if (witness == seen) {
                return LongBucket.value(seen);
            }
            seen = witness;
        }
        return otherwise;
    }

    /** Returns the value after the increment. */
    long increment(long key, long delta) {
        long hash = KeyHash.of(key);
        int owner = placement.owner(hash);
        long home = placement.home(hash);
        while (true) {
            LocalMemory mapped = endpoint.mapped(owner, Verb.READ, 1);
            long bucket = locate(mapped, owner, home, key);
            if (bucket < 0) {
                if (claim(owner, bucket, key, delta)) {
                    return delta;
                }
                continue;
            }
            long seen = located(mapped, owner, bucket);
            if (!LongBucket.isPresent(seen)) {
                if (endpoint.compareAndExchange(owner, wordOf(owner, bucket), seen,
                        LongBucket.present(delta)) == seen) {
                    return delta;
                }
                continue;
            }
            checkSum(key, LongBucket.value(seen), delta);
            long before = add(owner, bucket, delta);
            if (LongBucket.isPresent(before)) {
                return LongBucket.value(before) + delta;
            }
        }
    }

    /** One verb, so that it takes effect on a living value entirely or, on one that was removed meanwhile, not at all. */
    long add(int owner, long bucket, long delta) {
        return endpoint.getAndAdd(owner, wordOf(owner, bucket), delta);
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
        long offset = wordOf(owner, bucket);
        LocalMemory mapped = endpoint.mapped(owner, Verb.WRITE, 2);
        if (mapped != null) {
            mapped.setRelease(offset + LongBucket.KEY, key);
            // (1) release, after the key: pairs with the second look in written (2).
            mapped.setRelease(offset + LongBucket.VALUE, LongBucket.present(value));
            // Before the caller goes on: a load of what comes next could overtake the store, and two who insert could miss each other's key.
            mapped.fullFence();
            return;
        }
        Batch batch = endpoint.batch(owner);
        if (arrivesWhole(owner)) {
            batch.setWord(LongBucket.VALUE, LongBucket.present(value));
            batch.setWord(LongBucket.KEY, key);
            batch.write(owner, offset, 0, LongBucket.SIZE);
        } else {
            batch.writeWord(owner, offset + LongBucket.KEY, key);
            // (1) likewise, in the order of the batch.
            batch.writeWord(owner, offset + LongBucket.VALUE, LongBucket.present(value));
        }
        batch.complete();
    }

    /**
     * Finds the bucket of the key, its word then {@linkplain #located at hand}; or the complement of the one where it is to be inserted, FREE or RESERVED; or
     * {@link #FULL}.
     *
     * @param mapped the owner's segment as the operation has found it: a rank may go, and others may listen to the verbs, in the middle of one
     */
    private long locate(@Nullable LocalMemory mapped, int owner, long home, long key) {
        LocalMemory source = mapped != null ? mapped : endpoint.batch(owner).memory();
        for (long steps = 0; steps < placement.buckets(); steps++) {
            long bucket = placement.bucket(home, steps, LINE_BUCKETS);
            if (mapped == null && steps % LINE_BUCKETS == 0) {
                read(owner, bucket & -LINE_BUCKETS);
            }
            long at = mapped != null ? wordOf(owner, bucket) : (bucket & SLOT_MASK) * LongBucket.SIZE;
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
        }
        return FULL;
    }

    /**
     * The key of a bucket that has one. Where the two words may have been read in any order, a key that reads as unwritten memory does is read again, now
     * that the word which publishes it has been seen. Any other is the bucket's, for good.
     */
    long written(int owner, long bucket, long seen) {
        // (2) acquire, behind the fence after the word (1).
        return seen != UNWRITTEN || arrivesWhole(owner)
                ? seen
                : endpoint.readWord(owner, wordOf(owner, bucket) + LongBucket.KEY);
    }

    private boolean arrivesWhole(int owner) {
        return endpoint.atomicReadBytes(owner) >= LongBucket.SIZE;
    }

    /** The word of a bucket as {@link #locate} has seen it, or as it is where looking costs nothing. */
    private long located(@Nullable LocalMemory mapped, int owner, long bucket) {
        return mapped != null
                ? mapped.getAcquire(wordOf(owner, bucket))
                : endpoint.batch(owner).word((bucket & SLOT_MASK) * LongBucket.SIZE);
    }

    private void read(int owner, long line) {
        Batch batch = endpoint.batch(owner);
        batch.read(owner, wordOf(owner, line), 0, Layouts.CACHE_LINE);
        batch.complete();
    }

    boolean waitsAt(long word) {
        return LongBucket.isReserved(word);
    }

    private void settle(int owner, long bucket, long reserved) {
        participant.reservations()
                .awaitSettled(owner, wordOf(owner, bucket), reserved, LongBucket.rank(reserved),
                        LongBucket.incarnation(reserved), () -> repair(owner, bucket, reserved), "insert into " + name);
    }

    private void repair(int owner, long bucket, long reserved) {
        endpoint.compareAndExchange(owner, wordOf(owner, bucket), reserved, repaired());
    }

    long repaired() {
        return LongBucket.VOID;
    }

    /** Visits what one rank holds, a bounded number of buckets at a time. */
    void forEach(int owner, LongLongMap.Visitor visitor) {
        long most = Math.min(placement.buckets(), Batch.THREAD_BUFFER_BYTES / LongBucket.SIZE);
        long[] entries = new long[(int) most * 2];
        for (long bucket = 0; bucket < placement.buckets(); bucket += most) {
            int found = entries(owner, bucket, Math.min(most, placement.buckets() - bucket), entries);
            for (int at = 0; at < found; at += 2) {
                visitor.visit(entries[at], entries[at + 1]);
            }
        }
    }

    /** Copied out before anyone is called: a visitor may use this map, and with it this thread's batch. */
    private int entries(int owner, long from, long count, long[] entries) {
        Batch batch = endpoint.batch(owner);
        batch.read(owner, wordOf(owner, from), 0, count * LongBucket.SIZE);
        batch.complete();
        int found = 0;
        for (long at = 0; at < count; at++) {
            long word = batch.word(at * LongBucket.SIZE + LongBucket.VALUE);
            long seen = batch.word(at * LongBucket.SIZE + LongBucket.KEY);
            if (LongBucket.isPresent(word)) {
                entries[found++] = written(owner, from + at, seen);
                entries[found++] = LongBucket.value(word);
            }
        }
        return found;
    }

    /** The offset of a bucket, and of its word that tells and counts. */
    long wordOf(int owner, long bucket) {
        return blocks[owner] + bucket * LongBucket.SIZE;
    }
}
