package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.TableFullException;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;

/**
 * The protocol of {@link LongLongMap} on {@link LongBucket}s, four of which share a cache line.
 *
 * <p>A key's hash names a bucket; if that is taken the others of its line follow, around the line's end, then the next lines. So one read brings all
 * the places where a key most likely is, and a line that has a FREE bucket ends every search: buckets never become FREE again.
 *
 * <p>A finder passes a RESERVED bucket: the key in it is not inserted yet. An inserter waits at it: passing it, two could insert one key twice. Nobody
 * waits anywhere else. What a dead inserter has reserved becomes VOID, which everyone passes; were it FREE again, a key inserted behind it
 * could be missed.
 *
 * <p>What a test overrides to break the protocol is not private: {@link #add}, {@link #fill}, {@link #waitsAt}, {@link #written}, {@link #repaired}.
 */
class LongTable {

    private static final long FULL = Long.MIN_VALUE;

    private static final int LINE_BUCKETS = (int) (Layouts.CACHE_LINE / LongBucket.SIZE);
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
        long word = mapped != null ? find(mapped, owner, home, key) : fetch(owner, home, key);
        return LongBucket.isPresent(word) ? LongBucket.value(word) : otherwise;
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
        return same && LongBucket.hasKey(word) && key != UNWRITTEN ? word : fetch(owner, home, key);
    }

    private long fetch(int owner, long home, long key) {
        long bucket = locate(owner, home, key, false);
        return bucket < 0 ? LongBucket.ABSENT : located(owner, bucket);
    }

    boolean insert(long key, long value) {
        long hash = KeyHash.of(key);
        int owner = placement.owner(hash);
        long home = placement.home(hash);
        // Without a look first: into a bucket that is free, as most are, an insertion costs A + W.
        if (reserve(owner, home)) {
            fill(owner, home, key, value);
            return true;
        }
        return !LongBucket.isPresent(place(owner, home, key, value, false));
    }

    boolean put(long key, long value) {
        long hash = KeyHash.of(key);
        return !LongBucket.isPresent(place(placement.owner(hash), placement.home(hash), key, value, true));
    }

    /** Makes sure that the key has a value, this one if it had none or is to have it replaced; returns the word that was there. */
    private long place(int owner, long home, long key, long value, boolean replacing) {
        while (true) {
            long bucket = locate(owner, home, key, true);
            if (bucket >= 0) {
                return exchange(owner, bucket, LongBucket.present(value), replacing);
            }
            if (bucket == FULL) {
                throw new TableFullException(name, owner, placement.buckets());
            }
            if (reserve(owner, ~bucket)) {
                fill(owner, ~bucket, key, value);
                return LongBucket.ABSENT;
            }
        }
    }

    /** Exchanges the word of a located bucket, unless it is present and not to be replaced; returns what was there. */
    private long exchange(int owner, long bucket, long word, boolean replacing) {
        long seen = located(owner, bucket);
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
        long bucket = locate(owner, placement.home(hash), key, false);
        long seen = bucket < 0 ? LongBucket.ABSENT : located(owner, bucket);
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
            long bucket = locate(owner, home, key, true);
            boolean present = bucket >= 0 && LongBucket.isPresent(located(owner, bucket));
            if (!present && !LongBucket.isPresent(place(owner, home, key, delta, false))) {
                return delta;
            }
            if (present) {
                long before = add(owner, bucket, delta);
                if (LongBucket.isPresent(before)) {
                    return checked(owner, bucket, key, before, delta);
                }
            }
        }
    }

    /** One verb, so that it takes effect on a living value entirely or, on one that was removed meanwhile, not at all. */
    long add(int owner, long bucket, long delta) {
        return endpoint.getAndAdd(owner, wordOf(owner, bucket), delta);
    }

    private long checked(int owner, long bucket, long key, long before, long delta) {
        if (!LongBucket.isPresent(before + delta)) {
            add(owner, bucket, -delta);
            throw new ArithmeticException("the sum leaves the map's range: key=" + key + " value="
                    + LongBucket.value(before) + " delta=" + delta);
        }
        return LongBucket.value(before) + delta;
    }

    private boolean reserve(int owner, long bucket) {
        return endpoint.compareAndExchange(owner, wordOf(owner, bucket), LongBucket.FREE,
                ownReservation) == LongBucket.FREE;
    }

    void fill(int owner, long bucket, long key, long value) {
        long offset = wordOf(owner, bucket);
        LocalMemory mapped = endpoint.mapped(owner);
        if (mapped != null) {
            mapped.setRelease(offset + LongBucket.KEY, key);
            // (1) release, after the key: pairs with the second look in written (2).
            mapped.setRelease(offset + LongBucket.VALUE, LongBucket.present(value));
            return;
        }
        Batch batch = endpoint.batch(owner);
        if (endpoint.atomicReadBytes(owner) >= LongBucket.SIZE) {
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
     * Finds the bucket of the key, its word then {@linkplain #located at hand}; or the complement of the first FREE one; or {@link #FULL}.
     */
    private long locate(int owner, long home, long key, boolean inserting) {
        LocalMemory mapped = endpoint.mapped(owner);
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
            if (word == LongBucket.FREE) {
                return ~bucket;
            }
            if (LongBucket.hasKey(word)) {
                if (written(owner, bucket, seen) == key) {
                    return bucket;
                }
            } else if (inserting && waitsAt(word)) {
                settle(owner, bucket, word);
                steps = (steps & -LINE_BUCKETS) - 1; // and look at the line again
            }
        }
        return FULL;
    }

    /**
     * The key of a bucket that has one. The two words may have been read in any order: a key that reads as unwritten memory does is read again, now
     * that the word which publishes it has been seen. Any other is the bucket's, for good.
     */
    long written(int owner, long bucket, long seen) {
        // (2) acquire, behind the fence after the word (1).
        return seen != UNWRITTEN ? seen : endpoint.readWord(owner, wordOf(owner, bucket) + LongBucket.KEY);
    }

    /** The word of a bucket as {@link #locate} has seen it, or as it is where looking costs nothing. */
    private long located(int owner, long bucket) {
        LocalMemory mapped = endpoint.mapped(owner);
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
        long offset = wordOf(owner, bucket);
        participant.reservations()
                .awaitSettled(owner, offset, reserved, LongBucket.rank(reserved), LongBucket.incarnation(reserved),
                        () -> endpoint.compareAndExchange(owner, offset, reserved, repaired()), "insert into " + name);
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
    private long wordOf(int owner, long bucket) {
        return blocks[owner] + bucket * LongBucket.SIZE;
    }
}
