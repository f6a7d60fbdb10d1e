package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.TableFullException;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;

/**
 * The protocol of {@link LongLongMap} on {@link LongBucket}s.
 *
 * <p>A finder passes a RESERVED bucket: the key in it is not inserted yet. An inserter waits at it: passing it, two could insert one key
 * twice. Nobody waits anywhere else. What a dead inserter has reserved becomes VOID, which everyone passes; were it FREE again, a key
 * inserted behind it could be missed.
 *
 * <p>What a test overrides to break the protocol is not private: {@link #add}, {@link #fill}, {@link #waitsAt}, {@link #repaired}.
 */
class LongTable {

    private static final long FULL = Long.MIN_VALUE;

    // Positions in a batch's buffer: the value of the bucket that was located, then the buckets as first and as last read.
    private static final long LOCATED = 0;
    private static final long FIRST = Layouts.CACHE_LINE;
    private static final long MOST_BUCKETS_AT_ONCE = 64;
    private static final long LAST = FIRST + MOST_BUCKETS_AT_ONCE * LongBucket.SIZE;

    final Endpoint endpoint;
    private final String name;
    private final Participant participant;
    private final Placement placement;
    private final long[] blocks;
    private final long ownReservation;

    /** @param blocks where the buckets begin in each rank's segment */
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
        Batch batch = endpoint.batch(owner);
        long bucket = locate(batch, owner, placement.home(hash), key, false);
        long value = bucket < 0 ? LongBucket.ABSENT : batch.word(LOCATED);
        return LongBucket.isPresent(value) ? LongBucket.value(value) : otherwise;
    }

    /** As {@link #find} while nobody changes the map: one read, in whatever order its words come. */
    long findUnchanged(long key, long otherwise) {
        long hash = KeyHash.of(key);
        int owner = placement.owner(hash);
        long home = placement.home(hash);
        Batch batch = endpoint.batch(owner);
        for (long steps = 0; steps < placement.buckets();) {
            long index = placement.index(home, steps);
            int count = (int) Math.min(bucketsAtOnce(), placement.buckets() - index);
            batch.read(owner, valueOf(owner, index), FIRST, count * LongBucket.SIZE);
            batch.complete();
            for (long at = FIRST; at < FIRST + count * LongBucket.SIZE; at += LongBucket.SIZE) {
                long value = batch.word(at + LongBucket.VALUE);
                if (value == LongBucket.FREE) {
                    return otherwise;
                }
                if (LongBucket.hasKey(value) && batch.word(at + LongBucket.KEY) == key) {
                    return LongBucket.isPresent(value) ? LongBucket.value(value) : otherwise;
                }
            }
            steps += count;
        }
        return otherwise;
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
        return !LongBucket.isPresent(place(owner, home, key, value));
    }

    /** Makes sure that the key has a bucket and a value; returns the value word that was there, present if the key was, and then untouched. */
    private long place(int owner, long home, long key, long value) {
        while (true) {
            Batch batch = endpoint.batch(owner);
            long bucket = locate(batch, owner, home, key, true);
            if (bucket >= 0) {
                return revive(owner, bucket, batch.word(LOCATED), value);
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

    /** Gives an absent key its value again; returns what was there when it did, or the present value that it met. */
    private long revive(int owner, long bucket, long current, long value) {
        long seen = current;
        while (!LongBucket.isPresent(seen)) {
            long witness = endpoint.compareAndExchange(owner, valueOf(owner, bucket), seen, LongBucket.present(value));
            if (witness == seen) {
                return seen;
            }
            seen = witness;
        }
        return seen;
    }

    boolean put(long key, long value) {
        long hash = KeyHash.of(key);
        int owner = placement.owner(hash);
        long home = placement.home(hash);
        while (true) {
            Batch batch = endpoint.batch(owner);
            long bucket = locate(batch, owner, home, key, true);
            if (bucket >= 0) {
                return !LongBucket.isPresent(exchange(owner, bucket, batch.word(LOCATED), LongBucket.present(value)));
            }
            if (!LongBucket.isPresent(place(owner, home, key, value))) {
                return true;
            }
        }
    }

    /** Returns the value that was removed, or {@code otherwise}. */
    long remove(long key, long otherwise) {
        long hash = KeyHash.of(key);
        int owner = placement.owner(hash);
        Batch batch = endpoint.batch(owner);
        long bucket = locate(batch, owner, placement.home(hash), key, false);
        long seen = bucket < 0 ? LongBucket.ABSENT : batch.word(LOCATED);
        while (LongBucket.isPresent(seen)) {
            long witness = endpoint.compareAndExchange(owner, valueOf(owner, bucket), seen, LongBucket.ABSENT);
            if (witness == seen) {
                return LongBucket.value(seen);
            }
            seen = witness;
        }
        return otherwise;
    }

    private long exchange(int owner, long bucket, long current, long word) {
        long seen = current;
        while (true) {
            long witness = endpoint.compareAndExchange(owner, valueOf(owner, bucket), seen, word);
            if (witness == seen) {
                return seen;
            }
            seen = witness;
        }
    }

    /** Returns the value after the increment. */
    long increment(long key, long delta) {
        long hash = KeyHash.of(key);
        int owner = placement.owner(hash);
        long home = placement.home(hash);
        while (true) {
            Batch batch = endpoint.batch(owner);
            long bucket = locate(batch, owner, home, key, true);
            boolean present = bucket >= 0 && LongBucket.isPresent(batch.word(LOCATED));
            if (!present && !LongBucket.isPresent(place(owner, home, key, delta))) {
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
        return endpoint.getAndAdd(owner, valueOf(owner, bucket), delta);
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
        return endpoint.compareAndExchange(owner, valueOf(owner, bucket), LongBucket.FREE,
                ownReservation) == LongBucket.FREE;
    }

    void fill(int owner, long bucket, long key, long value) {
        Batch batch = endpoint.batch(owner);
        long offset = valueOf(owner, bucket);
        if (endpoint.atomicReadBytes(owner) >= LongBucket.SIZE) {
            batch.setWord(FIRST + LongBucket.VALUE, LongBucket.present(value));
            batch.setWord(FIRST + LongBucket.KEY, key);
            batch.write(owner, offset, FIRST, LongBucket.SIZE);
        } else {
            batch.writeWord(owner, offset + LongBucket.KEY, key);
            // (1) after the key, in the order of the batch: pairs with the first read in readBuckets (2).
            batch.writeWord(owner, offset + LongBucket.VALUE, LongBucket.present(value));
        }
        batch.complete();
    }

    /**
     * Finds the bucket of the key, its value word then at {@link #LOCATED} in the batch's buffer; or the complement of the first FREE one; or
     * {@link #FULL}.
     */
    private long locate(Batch batch, int owner, long home, long key, boolean inserting) {
        for (long steps = 0; steps < placement.buckets();) {
            long index = placement.index(home, steps);
            int count = readBuckets(batch, owner, index);
            for (int at = 0; at < count; at++) {
                long published = batch.word(FIRST + at * LongBucket.SIZE + LongBucket.VALUE);
                if (published == LongBucket.FREE) {
                    return ~(index + at);
                }
                if (LongBucket.hasKey(published)) {
                    if (batch.word(last(owner) + at * LongBucket.SIZE + LongBucket.KEY) == key) {
                        batch.setWord(LOCATED, batch.word(last(owner) + at * LongBucket.SIZE + LongBucket.VALUE));
                        return index + at;
                    }
                } else if (inserting && waitsAt(published)) {
                    settle(owner, index + at, published);
                    steps--; // look at it again
                    count = at + 1;
                }
                steps++;
            }
        }
        return FULL;
    }

    boolean waitsAt(long word) {
        return LongBucket.isReserved(word);
    }

    private long last(int owner) {
        return endpoint.atomicReadBytes(owner) >= LongBucket.SIZE ? FIRST : LAST;
    }

    /** Reads a few buckets from this one on, to {@link #FIRST}, and where a bucket does not arrive whole once more to {@link #LAST}. */
    private int readBuckets(Batch batch, int owner, long index) {
        int count = (int) Math.min(bucketsAtOnce(), placement.buckets() - index);
        long offset = valueOf(owner, index);
        if (last(owner) == FIRST) {
            batch.read(owner, offset, FIRST, count * LongBucket.SIZE);
        } else {
            // (2) before the second read: a key that was published (1) in the first is there in the second.
            batch.read(owner, offset, FIRST, (count - 1) * LongBucket.SIZE + Layouts.WORD);
            if (!endpoint.readsInOrder(owner)) {
                batch.complete();
            }
            batch.read(owner, offset, LAST, count * LongBucket.SIZE);
        }
        batch.complete();
        return count;
    }

    private long bucketsAtOnce() {
        return Math.clamp(endpoint.guarantees().readUnitBytes() / LongBucket.SIZE, 1, MOST_BUCKETS_AT_ONCE);
    }

    private void settle(int owner, long bucket, long reserved) {
        long word = valueOf(owner, bucket);
        participant.reservations()
                .awaitSettled(owner, word, reserved, LongBucket.rank(reserved), LongBucket.incarnation(reserved),
                        () -> endpoint.compareAndExchange(owner, word, reserved, repaired()), "insert into " + name);
    }

    long repaired() {
        return LongBucket.VOID;
    }

    /** Visits what one rank holds, a bounded number of buckets at a time. */
    void forEach(int owner, LongLongMap.Visitor visitor) {
        long most = Math.min(placement.buckets(), (Batch.THREAD_BUFFER_BYTES - FIRST) / 2 / LongBucket.SIZE);
        long[] entries = new long[(int) most * 2];
        for (long index = 0; index < placement.buckets(); index += most) {
            int found = entries(owner, index, Math.min(most, placement.buckets() - index), entries);
            for (int at = 0; at < found; at += 2) {
                visitor.visit(entries[at], entries[at + 1]);
            }
        }
    }

    /** Copied out before anyone is called: a visitor may use this map, and with it this thread's batch. */
    private int entries(int owner, long index, long count, long[] entries) {
        Batch batch = endpoint.batch(owner);
        long last = last(owner) == FIRST ? FIRST : FIRST + count * LongBucket.SIZE;
        batch.read(owner, valueOf(owner, index), FIRST, count * LongBucket.SIZE);
        if (last != FIRST) {
            // (3) as (2): keys are read after the values that publish them.
            if (!endpoint.readsInOrder(owner)) {
                batch.complete();
            }
            batch.read(owner, valueOf(owner, index), last, count * LongBucket.SIZE);
        }
        batch.complete();
        int found = 0;
        for (long at = 0; at < count * LongBucket.SIZE; at += LongBucket.SIZE) {
            long value = batch.word(last + at + LongBucket.VALUE);
            if (LongBucket.hasKey(batch.word(FIRST + at + LongBucket.VALUE)) && LongBucket.isPresent(value)) {
                entries[found++] = batch.word(last + at + LongBucket.KEY);
                entries[found++] = LongBucket.value(value);
            }
        }
        return found;
    }

    private long valueOf(int owner, long bucket) {
        return blocks[owner] + bucket * LongBucket.SIZE + LongBucket.VALUE;
    }
}
