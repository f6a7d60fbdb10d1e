package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;
import io.atoll.world.Reservations.Undone;
import java.util.Arrays;

/**
 * Moves neighbouring buckets of a rank to its next block in rounds, each of which is one round trip:
 * <pre>
 *   round      1             2                           3
 *   has key    read          look in the next block      copy, and seal if copied
 *   free       read                                      close
 * </pre>
 * To seal a bucket is to make it MOVED. A copy is an exchange in the next block. It guards the writes of the copy and,
 * behind them, the seal. So a bucket is sealed only if its copy is there. Nothing is lost if only a part of a batch
 * takes effect. All exchanges come first: if the batch decides {@linkplain Batch#guard guards} here, round 3 takes two
 * round trips.
 *
 * <p>A key whose copy was refused is looked for anew, and a bucket that has changed is read anew. If a living thread
 * has reserved a bucket, this class leaves that one and those behind it to the next mover. It also leaves a bucket if
 * the bucket of its copy is reserved. Those behind may be final then: the frontier stops in front of the one that is
 * left.
 *
 * <p>It holds several words of the next block. Another thread may wait for these, so this one never waits.
 */
abstract class MoveRounds {

    private static final int NONE = -1;

    final int owner;
    final int count;
    final long[] states; // of the buckets, as they were read
    private final Endpoint endpoint;
    private final Reservations reservations;
    private final Blocks blocks;
    private final long block;
    private final long first; // offset of the first bucket
    private final long bucketBytes;
    private final long next;
    private final long[] hashes;
    private final boolean[] isFinal;
    private final long[] targets; // the bucket of each key in the next blocks, or the bucket that it is to take
    private final long[] earlier; // the state of that bucket
    private final boolean[] copies; // true if a copy must be made
    private final int[] holds; // NOT_HELD unless the target may be reserved
    private final int[] exchanges; // which make the copies
    private final int[] seals;
    private final boolean[] copied;
    private final boolean[] sealed;
    private final long[] witnesses; // what the exchanges have found
    private final long[] copiedChanges; // of the counts
    private final long[] movedChanges;
    // Places, which are numbers of buckets from the first one on.
    private int[] sought; // whose keys are looked for
    private int[] refused; // whose keys are to be looked for anew
    private final int[] found; // which are to be copied and sealed
    private int soughtCount;
    private int foundCount;
    private int refusedCount;
    private boolean isChanged; // true if another look may find what can be moved
    private boolean isFull; // true if the next blocks have no bucket for a key

    /** @param begin the first of {@code count} buckets, which lie in one run */
    MoveRounds(Participant participant, Blocks blocks, int owner, long block, long begin, int count, long next,
            long bucketBytes) {
        this.endpoint = participant.endpoint();
        this.reservations = participant.reservations();
        this.blocks = blocks;
        this.owner = owner;
        this.block = block;
        this.first = blocks.offset(owner, block, begin, bucketBytes);
        this.bucketBytes = bucketBytes;
        this.count = count;
        this.next = next;
        this.states = new long[count];
        this.hashes = new long[count];
        this.isFinal = new boolean[count];
        this.targets = new long[count];
        this.earlier = new long[count];
        this.copies = new boolean[count];
        this.holds = new int[count];
        Arrays.fill(holds, Reservations.NOT_HELD);
        this.exchanges = new int[count];
        this.seals = new int[count];
        this.copied = new boolean[count];
        this.sealed = new boolean[count];
        this.witnesses = new long[count];
        this.copiedChanges = new long[count];
        this.movedChanges = new long[count];
        this.sought = new int[count];
        this.refused = new int[count];
        this.found = new int[count];
    }

    // --- what depends on the table ---

    /** Reads the buckets, each as it was at one moment, from this offset on. Places their states in the array. */
    abstract void look(Batch batch, long offset);

    /** Returns the search for the keys that were read. A key's number is its place among the buckets. */
    abstract BulkSearch search();

    /** Returns the position from which on a round may use the buffer. */
    abstract long position();

    /** Returns true if no key will ever be found in a bucket of that state. */
    abstract boolean isFinal(long state);

    /** Returns true if a bucket in this state is another thread's. */
    abstract boolean isReserved(long state);

    /** Returns true if a reserved bucket is not reserved any more, because its holder has died. */
    abstract boolean isSettled(long offset, long reserved);

    /** Returns true if the bucket has no key. */
    abstract boolean isFree(long state);

    /** Returns true if the key has a value. */
    abstract boolean isLiving(long state);

    /** Returns true if the copy that the next blocks have of this place's key must be replaced, or removed. */
    abstract boolean replaces(int place, long before);

    /** Returns true if the copy is written under a reservation; else the exchange says it all. */
    abstract boolean isWritten(int place, long before);

    /** Returns what is exchanged for the state of the copy's bucket. */
    abstract long exchanged(int place, long before);

    /** Adds what writes the copy. */
    abstract void write(Batch batch, int place, long target, long before);

    abstract Reservations.Undo undoing();

    /** Adds the exchange that closes a free bucket. Returns its index. */
    abstract int close(Batch batch, long bucket);

    /** Adds the exchange that makes a bucket MOVED if it still is what was copied. Returns its index. */
    abstract int seal(Batch batch, long bucket, long state);

    /** Returns what {@link Blocks#count} is told of a copy; 0 if nothing. */
    abstract long counted(int place, long before);

    // --- all rounds ---

    /** Returns how many of the buckets, from the first on, are final. */
    final int run() {
        try {
            moveAll();
        } catch (Throwable failure) {
            countAfter(failure);
            throw failure;
        }
        countTogether();
        return finals();
    }

    private void moveAll() {
        try (Batch batch = endpoint.batch(owner)) {
            boolean goesOn = true;
            for (int looks = 0; goesOn && looks < Mover.ATTEMPTS; looks++) {
                look(batch, first);
                goesOn = move(search()) && finals() < count;
            }
        }
    }

    private int finals() {
        int finals = 0;
        while (finals < count && isFinal[finals]) {
            finals++;
        }
        return finals;
    }

    /** Moves what was read. Returns true if another look may find what can be moved. */
    private boolean move(BulkSearch search) {
        isChanged = false;
        isFull = false;
        sort();
        for (int attempt = 0; attempt < Mover.ATTEMPTS && soughtCount + foundCount > 0; attempt++) {
            // Asked for anew: what was looked at may have been told to the application, which may use maps.
            Batch batch = endpoint.batch(owner);
            find(batch, search);
            copyAndSeal(batch);
            judge();
        }
        // Growing uses the thread's batch.
        return isFull ? blocks.growsIfThereIsRoom(owner, next) : isChanged;
    }

    /** Says what is to be done with each bucket, up to one that cannot be moved now. */
    private void sort() {
        soughtCount = 0;
        foundCount = 0;
        for (int place = 0; place < count; place++) {
            long state = states[place];
            if (isFinal(state)) {
                isFinal[place] = true;
            } else if (isReserved(state)) {
                if (!isSettled(bucket(place), state)) {
                    return;
                }
                isChanged = true;
            } else if (isFree(state)) {
                copies[place] = false;
                found[foundCount++] = place;
            } else {
                sought[soughtCount++] = place;
            }
        }
    }

    private long bucket(int place) {
        return first + place * bucketBytes;
    }

    // --- the search ---

    private void find(Batch batch, BulkSearch search) {
        for (int place = 0; place < soughtCount; place++) {
            hashes[sought[place]] = search.hash(sought[place]);
            search.begin(sought[place], next);
        }
        refusedCount = 0;
        while (soughtCount > 0) {
            int read = search.read(batch, sought, soughtCount, position());
            batch.complete();
            int wanted = soughtCount;
            soughtCount = 0;
            for (int number = 0; number < wanted; number++) {
                int place = sought[number];
                if (number >= read || !isDecided(batch, search, place)) {
                    sought[soughtCount++] = place;
                }
            }
        }
    }

    private boolean isDecided(Batch batch, BulkSearch search, int place) {
        long target = search.advance(batch, place);
        while (isLiving(states[place]) && isTaken(~target)) {
            if (!search.pass(place)) {
                refused[refusedCount++] = place;
                return true;
            }
            target = search.advance(batch, place);
        }
        if (target != BucketReader.BEHIND) {
            decide(place, target, search.state(place));
        }
        return target != BucketReader.BEHIND;
    }

    /** Returns true if another one of the keys takes the bucket. */
    private boolean isTaken(long target) {
        for (int number = 0; number < foundCount; number++) {
            int place = found[number];
            if (copies[place] && targets[place] == target) {
                return true;
            }
        }
        return false;
    }

    private void decide(int place, long target, long before) {
        copies[place] = false;
        if (target < 0 && !isLiving(states[place])) {
            found[foundCount++] = place;
        } else if (target == BucketReader.FULL) {
            isFull = true;
        } else if (!isReserved(before)) {
            targets[place] = target < 0 ? ~target : target;
            earlier[place] = before;
            copies[place] = replaces(place, before);
            found[foundCount++] = place;
        } else if (isSettled(target < 0 ? ~target : target, before)) {
            refused[refusedCount++] = place;
        }
    }

    // --- copies and seals ---

    private void copyAndSeal(Batch batch) {
        Arrays.fill(exchanges, NONE);
        Arrays.fill(seals, NONE);
        try {
            exchange(batch);
            for (int number = 0; number < foundCount; number++) {
                seal(batch, found[number]);
            }
            batch.complete();
        } catch (Throwable failure) {
            settle(batch);
            throw failure;
        }
        for (int number = 0; number < foundCount; number++) {
            take(batch, found[number]);
        }
    }

    /** Adds the exchanges of all copies. Those that cannot be held now are looked for anew. */
    private void exchange(Batch batch) {
        int taken = 0;
        int wanted = foundCount;
        foundCount = 0;
        boolean isHeld = true;
        for (; taken < wanted; taken++) {
            int place = found[taken];
            boolean isCopied = copies[place];
            if (isCopied && isWritten(place, earlier[place])) {
                // A key behind one that is not held may have passed the bucket of that one, which stays free then.
                isHeld = isHeld && hold(place);
                isCopied = isHeld;
            }
            if (isCopied) {
                exchanges[place] = batch.compareAndExchange(owner, targets[place], earlier[place],
                        exchanged(place, earlier[place]));
            }
            if (isCopied == copies[place]) {
                found[foundCount++] = place;
            } else {
                refused[refusedCount++] = place;
            }
        }
    }

    private boolean hold(int place) {
        holds[place] = reservations.tryHold(owner, targets[place]);
        return holds[place] != Reservations.NOT_HELD;
    }

    private void seal(Batch batch, int place) {
        batch.unguard();
        if (exchanges[place] != NONE) {
            batch.guard(exchanges[place]);
            if (isWritten(place, earlier[place])) {
                write(batch, place, targets[place], earlier[place]);
            }
        }
        seals[place] = isFree(states[place])
                ? close(batch, bucket(place))
                : seal(batch, bucket(place), states[place]);
    }

    private void take(Batch batch, int place) {
        if (holds[place] != Reservations.NOT_HELD) {
            reservations.release(holds[place]);
            holds[place] = Reservations.NOT_HELD;
        }
        copied[place] = exchanges[place] == NONE || batch.succeeded(exchanges[place]);
        sealed[place] = batch.succeeded(seals[place]);
        witnesses[place] = exchanges[place] == NONE ? 0 : batch.result(exchanges[place]);
        note(place);
    }

    /** Notes what is to be counted. */
    private void note(int place) {
        if (copied[place] && exchanges[place] != NONE) {
            copiedChanges[place] += counted(place, earlier[place]);
        }
        if (sealed[place] && isLiving(states[place])) {
            movedChanges[place] = Blocks.REMOVED;
        }
    }

    /** Says what comes of each place that was to be sealed. */
    private void judge() {
        for (int number = 0; number < foundCount; number++) {
            int place = found[number];
            isFinal[place] = sealed[place];
            if (!copied[place]) {
                if (!isReserved(witnesses[place]) || isSettled(targets[place], witnesses[place])) {
                    refused[refusedCount++] = place;
                }
            } else if (!sealed[place]) {
                isChanged = true;
            }
        }
        foundCount = 0;
        int[] soughtBefore = sought;
        sought = refused;
        soughtCount = refusedCount;
        refused = soughtBefore;
    }

    /** Undoes what may be reserved. Any part of the batch may have taken effect. Allocates nothing. */
    private void settle(Batch batch) {
        for (int place = 0; place < count; place++) {
            Undone undone = Undone.BEFORE;
            if (holds[place] != Reservations.NOT_HELD) {
                int hold = holds[place];
                holds[place] = Reservations.NOT_HELD;
                undone = reservations.undo(hold, owner, targets[place], exchanged(place, earlier[place]), undoing());
            }
            copied[place] = undone == Undone.BEFORE && hasSucceeded(batch, exchanges[place]);
            sealed[place] = hasSucceeded(batch, seals[place]);
            note(place);
        }
    }

    private static boolean hasSucceeded(Batch batch, int exchange) {
        return exchange != NONE && batch.answered(exchange) && batch.succeeded(exchange);
    }

    // --- counts ---

    private void countTogether() {
        try {
            Counts counts = new Counts();
            for (int place = 0; place < count; place++) {
                if (copiedChanges[place] != 0) {
                    counts.add(owner, blocks.counting(owner, next, targets[place], hashes[place]),
                            copiedChanges[place]);
                }
                if (movedChanges[place] != 0) {
                    counts.add(owner, blocks.counting(owner, block, bucket(place), hashes[place]),
                            movedChanges[place]);
                }
            }
            counts.tell(blocks, endpoint);
        } catch (VirtualMachineError | LinkageError afterwards) {
            Aftermath.warn("entries are not counted, or the block grows later", afterwards);
        }
    }

    /** Counts what was moved before a failure, without memory of its own. */
    private void countAfter(Throwable failure) {
        try {
            for (int place = 0; place < count; place++) {
                if (copiedChanges[place] != 0) {
                    blocks.note(owner, next, targets[place], hashes[place], copiedChanges[place]);
                }
                if (movedChanges[place] != 0) {
                    blocks.note(owner, block, bucket(place), hashes[place], movedChanges[place]);
                }
            }
        } catch (FabricException uncounted) {
            failure.addSuppressed(uncounted);
        }
    }
}
