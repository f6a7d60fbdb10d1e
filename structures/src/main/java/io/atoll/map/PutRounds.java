package io.atoll.map;

import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;
import io.atoll.world.Reservations.Undone;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Stores values of several keys of other ranks in rounds, each of which is one round trip to all their owners. A key
 * takes three rounds if nothing is in its way: one looks for its bucket, the next one reserves it (1), and one more
 * writes it (2, 3). A round does each of these for some of the keys:
 * <pre>
 *   round      1            2            3            4
 *   look for   keys 0-63    keys 64-127  keys 128-191
 *   reserve                 keys 0-63    keys 64-127  keys 128-191
 *   write                                keys 0-63    keys 64-127
 * </pre>
 * If owners decide {@linkplain Batch#guard guards}, a key takes two rounds. The exchange (1) guards the writes (2, 3)
 * of the same round.
 *
 * <p>If owners decide guards and there are {@linkplain BulkReplacement#mostKeys few} keys, most of them take one round:
 * <ul>
 * <li>The owner looks for each key and replaces its value.
 * <li>In a map of longs the batch then exchanges the home of each key (1): this inserts a key that was not found. It is
 * left out if the last few keys were all there.
 * <li>A read follows. The keys that neither step has stored go on with what it brings.
 * </ul>
 * Keys of other types begin like this only if the last few keys were all there, and never exchange homes in this round.
 *
 * <p>If there are more keys, and most of them are there, owners look in the same way for the few that the first look
 * has left: a later round exchanges the buckets that were found, and lets owners replace the values of the others.
 *
 * <p>It never waits for another thread. That thread might wait for a bucket that is reserved here. A key is looked for
 * again if its bucket is reserved, or has changed since it was found. After {@value #MOST_REFUSALS} such rounds it is
 * left to the caller. So is a key for which there is no bucket.
 *
 * <p>Two of the keys may want the same bucket. The second one looks for another when the first one is written.
 *
 * <p>If an owner cannot be reached, the rounds go on for the keys of the others. What was reserved at any owner in the
 * round that failed is undone, or is found to be stored.
 *
 * <p>{@link #run} does all rounds. A caller can also do the rounds itself. It calls {@link #fill}, completes the batch,
 * calls {@link #take}, and so on. If the batch cannot reach a rank, it calls {@link #recover} in place of {@code take}.
 * If anything else fails, it calls {@link #abandon}. One thread must do all that: its pin lasts from one call to the
 * next.
 */
abstract class PutRounds {

    /** Keys that go round together, before what has become of them is counted. */
    private static final int WAVE = 256;

    /** For each so many keys of an owner it helps once to move the owner's block, as an operation on one key does. */
    private static final int KEYS_FOR_A_HELP = 64;

    private static final int MOST_REFUSALS = 4;

    /** The state of a bucket that no key has ever had: zeroed memory is an empty map. */
    private static final long FREE = 0;

    /** In place of the result of a replacement that was not added. */
    private static final int NOT_ADDED = -1;

    /** In place of the result of a replacement of which nobody knows how much was added. */
    private static final int ADDED_IN_PART = -2;

    // What is not known of a key.
    private static final byte CERTAIN = 0;
    private static final byte WRITING = 1; // what was prepared for it may still arrive
    private static final byte UNANSWERED = 2; // its bucket, which is not reserved any more, may have it
    private static final byte IN_DOUBT = 3; // its bucket may also be reserved still

    final BulkSearch search;
    private final Endpoint endpoint;
    private final Reservations reservations;
    private final Blocks blocks;
    final LostOwners lost;
    private final boolean guarded; // true if an exchange and what it guards are one round
    private final int count;
    private final long entries; // position in the buffer of what is written
    private final long entryBytes;
    private final int[] begun; // how many keys of each owner
    private final long[] firsts; // where the search for each key began
    private final long[] offsets; // of the bucket that was found for each key
    private final long[] states; // of that bucket, as it was found
    private final int[] holds; // NOT_HELD unless the bucket may be reserved for the key
    private final byte[] refusals;
    private final boolean[] stored;
    private final byte[] doubts; // other than CERTAIN if a verb of the key is not answered
    // Numbers of keys.
    private final int[] sought; // which are looked for
    private final int[] unchecked; // whose former entries are to be read
    private final int[] found; // whose buckets were found
    private final int[] reserved; // whose buckets are reserved
    private final int[] checkBytes; // that are read for each unchecked key
    private final int[] replacements; // the index of the result of each key's exchange, in a round that replaces
    private final long[] witnesses; // what the exchanges of a round have found
    private int soughtCount;
    private int uncheckedCount;
    private int foundCount;
    private int reservedCount;
    // The wave that is under way: these keys, none before the first wave and behind the last one.
    private int from;
    private int to;
    private @Nullable BulkReplacement owners; // null unless they may look for keys
    private boolean areFew; // true if owners may look for all keys of the wave
    private boolean isUnderWay;
    private @Nullable Token token;
    // The present round: for how many keys it searches, exchanges, checks and reads, and true if not all of it was
    // added. A key for which it searches stays among those that are sought.
    private @Nullable BulkReplacement replacement; // null unless owners look for the keys that are sought
    private int searched;
    private int exchanges;
    private int firstExchange; // the index of its result
    private int writes; // none of the exchanges behind so many guards writes that were added
    private int checks;
    private long checksBegin; // their position in the buffer
    private int read;
    private boolean isCutShort;

    /**
     * @param search for the keys; none belongs to a rank whose verbs are executed at once
     * @param lost owners that are not asked any more
     * @param entries position in the buffer from which on a round may use it
     * @param entryBytes what an entry takes there
     */
    PutRounds(Participant participant, Blocks blocks, BulkSearch search, LostOwners lost, int count, long entries,
            long entryBytes) {
        this.endpoint = participant.endpoint();
        this.reservations = participant.reservations();
        this.blocks = blocks;
        this.search = search;
        this.lost = lost;
        this.guarded = endpoint.guarantees().guardsAtOwner();
        this.count = count;
        this.entries = entries;
        this.entryBytes = entryBytes;
        this.begun = new int[blocks.ranks()];
        this.firsts = new long[count];
        this.offsets = new long[count];
        this.states = new long[count];
        this.holds = new int[count];
        Arrays.fill(holds, Reservations.NOT_HELD);
        this.refusals = new byte[count];
        this.stored = new boolean[count];
        this.doubts = new byte[count];
        this.sought = new int[Math.min(count, WAVE)];
        this.unchecked = new int[sought.length];
        this.found = new int[sought.length];
        this.reserved = new int[sought.length];
        this.checkBytes = new int[count];
        this.replacements = new int[count];
        Arrays.fill(replacements, NOT_ADDED);
        this.witnesses = new long[sought.length];
    }

    // --- what depends on the table ---

    /** Returns true if a thread waits until a bucket in this state is in another one. */
    abstract boolean isReserved(long state);

    /** Returns what is exchanged for the state of the key's bucket. */
    abstract long exchanged(int key, long state);

    /** Returns true if an exchange of this state reserves the bucket, and a write follows. */
    abstract boolean isWritten(long state);

    abstract void write(Batch batch, int key, long offset, long state, long position);

    abstract Reservations.Undo undoing();

    /** Returns what {@link Blocks#count} is told of a bucket of that state that was stored to; 0 if nothing. */
    abstract long counted(long state);

    abstract long firstToChange(int owner, @Nullable Token token);

    /** Returns what replaces values where owners find the keys; null if owners never look for them. */
    @Nullable BulkReplacement replacement() {
        return null;
    }

    /** Prepares the first of these keys together. Called before the first round; may use any batch. */
    void prepareTogether(int[] keys, int number) {
        // Most values need nothing outside of their buckets.
    }

    /** Returns false if the key is to be left to the caller. */
    boolean isPrepared(int key) {
        return true;
    }

    /**
     * Adds what must have arrived before the key's bucket is exchanged, and is read by nobody before. It may
     * {@linkplain #completePrepared complete} the batch, and then use the buffer from its beginning. Returns the
     * position behind what it uses.
     */
    long writePrepared(Batch batch, int key, long begin, long position) {
        return position;
    }

    /** Says that the batch writes what was prepared for the key. */
    final void isWriting(int key) {
        doubts[key] = WRITING;
    }

    /** Completes the batch, which has written what was prepared for some keys. */
    final void completePrepared(Batch batch) {
        try {
            batch.complete();
        } catch (RankUnreachableException failure) {
            leaveUnwritten();
            throw failure;
        }
        noteArrived();
    }

    private void noteArrived() {
        for (int place = 0; place < soughtCount; place++) {
            doubts[sought[place]] = CERTAIN;
        }
    }

    /**
     * Leaves keys to the caller if what was prepared for them may not have arrived. A batch that has not reached
     * several ranks tells of one, so any of its writes may be lost.
     */
    private void leaveUnwritten() {
        int written = 0;
        for (int place = 0; place < soughtCount; place++) {
            int key = sought[place];
            if (doubts[key] == CERTAIN) {
                sought[written++] = key;
            }
        }
        soughtCount = written;
    }

    /**
     * Returns how many bytes are to be read before the exchange of the bucket that was found for the key. Returns 0 if
     * none are. The state of that bucket is at hand.
     */
    long bytesToCheck(Batch batch, int key, long bucket) {
        return 0;
    }

    /** Adds the read of so many bytes to this position. */
    void readToCheck(Batch batch, int key, long position) {
        throw new AssertionError("nothing is checked: key=" + key);
    }

    /** Returns false if what was read says that the key is to be left to the caller. */
    boolean passes(Batch batch, int key, long position) {
        throw new AssertionError("nothing is checked: key=" + key);
    }

    /**
     * Ends a wave, under its pin.
     *
     * @param failure that has ended it before its time, to which failures of this method are added; or null
     */
    void conclude(int first, int end, @Nullable Token pinned, @Nullable Throwable failure) {
        // Most values have nothing outside of their buckets.
    }

    final boolean isStored(int key) {
        return stored[key];
    }

    /** Returns true if nobody knows whether the key is stored, since a verb was not answered. */
    final boolean isInDoubt(int key) {
        return doubts[key] >= UNANSWERED;
    }

    /** Returns true if the key is in doubt, and its bucket is not reserved any more. Then the bucket may tell. */
    final boolean isUnanswered(int key) {
        return doubts[key] == UNANSWERED;
    }

    /** Says what has become of a key that was in doubt. */
    final void decide(int key, boolean isStored) {
        stored[key] = isStored;
        doubts[key] = CERTAIN;
    }

    /** Returns true if what was {@linkplain #writePrepared written} for the key may still arrive. */
    final boolean isLate(int key) {
        return doubts[key] != CERTAIN || lost.has(search.owner(key));
    }

    /** Returns the bucket that was last found for the key. */
    final long bucketOf(int key) {
        return offsets[key];
    }

    /** Returns the state in which that bucket was found. */
    final long stateOf(int key) {
        return states[key];
    }

    // --- all rounds ---

    /** Stores the values. Returns the numbers of the keys that are left, without those of lost owners. */
    final int[] run() {
        try (Batch batch = endpoint.batch()) {
            run(batch);
        }
        return left();
    }

    private void run(Batch batch) {
        try {
            while (fill(batch)) {
                completeAndTake(batch);
            }
        } catch (Throwable failure) {
            abandon(batch, failure);
            throw failure;
        }
    }

    private void completeAndTake(Batch batch) {
        try {
            batch.complete();
        } catch (RankUnreachableException failure) {
            recover(batch, failure);
            return;
        }
        take(batch);
    }

    /** Returns the numbers of the keys that are not stored, without those of lost owners. */
    final int[] left() {
        int[] left = {};
        int number = 0;
        for (int key = 0; key < count; key++) {
            if (!stored[key] && !lost.has(search.owner(key))) {
                left = number == 0 ? new int[count - key] : left;
                left[number++] = key;
            }
        }
        return number == left.length ? left : Arrays.copyOf(left, number);
    }

    /**
     * Adds the verbs of the next round. Returns false if nothing is left to do; then it adds nothing. Between two waves
     * it may help or begin to replace blocks, which uses the thread's batch.
     */
    final boolean fill(Batch batch) {
        dropSettled();
        replacement = null;
        searched = 0;
        exchanges = 0;
        writes = 0;
        checks = 0;
        read = 0;
        isCutShort = false;
        long position = entries;
        if (isUnderWay && !areFew && leavesTheRestToOwners()) {
            replacement = replacement(); // a new one: the undoing of a key of another round may keep that one's notes
        }
        while (soughtCount + uncheckedCount + foundCount + reservedCount == 0) {
            if (isUnderWay) {
                end(null);
            }
            if (to == count) {
                return false;
            }
            begin();
            prepareAll();
            position = writePrepared(batch);
            dropSettled();
        }
        fillRound(batch, position);
        return true;
    }

    /** Takes what the round has found, once its batch is complete. */
    final void take(Batch batch) {
        noteArrived();
        if (isCutShort) {
            settle(batch, true);
            return;
        }
        if (endpoint.guarantees().readsInOrder()) {
            takeExchanges(batch);
        }
        takeReplacements(batch, true);
        checkAll(batch);
        advanceAll(batch);
    }

    /**
     * Takes what has become of the round if its batch has not reached a rank.
     *
     * @throws RankUnreachableException the failure, if the rank is none whose keys can be dropped
     */
    final void recover(Batch batch, RankUnreachableException failure) {
        // A search may have found before that the owner is lost, in a round that had reserved a bucket there.
        if (!isKnownAsLost(failure)) {
            throw failure;
        }
        settle(batch, true);
        leaveUnwritten();
    }

    /** Ends after a failure, of a batch or anything else. What was reserved is undone. */
    final void abandon(Batch batch, Throwable failure) {
        if (isUnderWay) {
            if (!(failure instanceof FabricException)) {
                noteArrived(); // as after an error in a put of one key: nothing of it may stay allocated
            }
            try {
                settle(batch, false);
            } catch (RuntimeException | Error unsettled) {
                doubtUnsettled();
                suppress(failure, unsettled);
                undoHeld(failure);
            } finally {
                end(failure);
            }
        }
    }

    /** What may be reserved still may refer to what was prepared for the key. */
    private void doubtUnsettled() {
        for (int place = 0; place < reservedCount; place++) {
            doubts[reserved[place]] = IN_DOUBT;
        }
        for (int place = 0; place < exchanges; place++) {
            doubts[found[place]] = IN_DOUBT;
        }
        for (int place = 0; place < searched; place++) {
            doubts[sought[place]] = IN_DOUBT;
        }
    }

    /** Undoes what is held still. A bucket that cannot be undone keeps no other one reserved. */
    private void undoHeld(Throwable failure) {
        for (int key = from; key < to; key++) {
            try {
                undo(key);
            } catch (RuntimeException | Error unsettled) {
                suppress(failure, unsettled);
            }
        }
    }

    private static void suppress(Throwable failure, Throwable other) {
        if (other != failure) { // the JVM may throw the same error twice
            failure.addSuppressed(other);
        }
    }

    // --- a wave ---

    private void begin() {
        from = to;
        to = Math.min(count, from + WAVE);
        // An operation for each wave, because nothing that is retired meanwhile is freed before its end.
        token = blocks.beginToChange();
        isUnderWay = true;
        owners = guarded && endpoint.guarantees().readsInOrder() ? replacement() : null;
        areFew = owners != null && to - from <= owners.mostKeys();
        replacement = areFew && owners.isWorthwhile() ? owners : null;
        for (int key = from; key < to; key++) {
            begin(key, search.owner(key));
        }
    }

    private void begin(int key, int owner) {
        if (lost.has(owner)) {
            return;
        }
        try {
            firsts[key] = begun[owner]++ % KEYS_FOR_A_HELP == 0 ? firstToChange(owner, token) : blocks.first(owner);
        } catch (RankUnreachableException failure) {
            lost.add(owner, failure);
            return;
        }
        search.begin(key, firsts[key]);
        sought[soughtCount++] = key;
    }

    private void prepareAll() {
        prepareTogether(sought, soughtCount);
        dropSettled();
        int wanted = soughtCount;
        soughtCount = 0;
        for (int place = 0; place < wanted; place++) {
            if (isPrepared(sought[place])) {
                sought[soughtCount++] = sought[place];
            }
        }
    }

    /** Returns the position behind what it has placed in the buffer. */
    private long writePrepared(Batch batch) {
        long position = entries;
        int wanted = soughtCount;
        soughtCount = 0;
        for (int place = 0; place < wanted; place++) {
            int key = sought[place];
            try {
                position = writePrepared(batch, key, entries, position);
                sought[soughtCount++] = key;
            } catch (RankUnreachableException failure) {
                // What was completed meanwhile may have been for another owner. This key is left to the caller then.
                if (!isKnownAsLost(failure)) {
                    throw failure;
                }
                isCutShort = true;
            }
        }
        return position;
    }

    private void end(@Nullable Throwable failure) {
        if (areFew && failure == null) {
            guess();
        }
        try {
            countAll(failure);
        } finally {
            isUnderWay = false;
            try {
                conclude(from, to, token, failure);
            } finally {
                blocks.end(token);
            }
        }
    }

    private void guess() {
        boolean areNew = false;
        for (int key = from; key < to; key++) {
            areNew |= stored[key] && !isThere(key);
        }
        Objects.requireNonNull(owners).expectNewKeys(areNew);
    }

    private boolean isThere(int key) {
        return Objects.requireNonNull(owners).finds(states[key]);
    }

    /**
     * Returns true if owners are to look for the keys whose buckets this round would only find. A look reserves nothing
     * if it finds no key, so it helps if most keys of the wave were there.
     */
    private boolean leavesTheRestToOwners() {
        if (owners == null || !owners.reserves() || soughtCount == 0 || soughtCount > owners.mostKeys()) {
            return false;
        }
        int there = 0;
        for (int place = 0; place < foundCount; place++) {
            there += isThere(found[place]) ? 1 : 0;
        }
        return 2 * there > foundCount;
    }

    /** Counts what was stored, once nothing is reserved: a count may begin to grow, which takes long. */
    private void countAll(@Nullable Throwable failure) {
        try {
            if (failure == null) {
                countTogether();
            } else {
                countOneByOne();
            }
        } catch (FabricException uncounted) {
            if (failure != null) {
                failure.addSuppressed(uncounted);
            } else if (!(uncounted instanceof RankUnreachableException unreachable) || !isKnownAsLost(unreachable)) {
                throw uncounted;
            }
        }
    }

    private long change(int key) {
        return stored[key] ? counted(states[key]) : 0;
    }

    private void countTogether() {
        try {
            Counts counts = new Counts();
            for (int key = from; key < to; key++) {
                if (change(key) != 0) {
                    int owner = search.owner(key);
                    long block = blocks.counting(owner, firsts[key], offsets[key], search.hash(key));
                    counts.add(owner, block, change(key));
                }
            }
            counts.tell(blocks, endpoint);
        } catch (VirtualMachineError | LinkageError afterwards) {
            Aftermath.warn("entries are not counted, or the blocks grow later", afterwards);
        }
    }

    /** As the other one, without memory of its own. */
    private void countOneByOne() {
        for (int key = from; key < to; key++) {
            if (change(key) != 0) {
                blocks.note(search.owner(key), firsts[key], offsets[key], search.hash(key), change(key));
            }
        }
    }

    // --- one round ---

    private void fillRound(Batch batch, long begin) {
        try {
            long position = exchange(batch, replace(batch, write(batch, begin)));
            if (!endpoint.guarantees().readsInOrder() && !isCompletedInBetween(batch)) {
                return;
            }
            position = readToCheck(batch, position);
            // Behind the exchanges: it sees what they have reserved. A batch has room for the exchanges of so many.
            read = search.read(batch, sought, Math.min(soughtCount, batch.mostAtomics()), position);
        } catch (RankUnreachableException failure) {
            isCutShort = true;
            if (!isKnownAsLost(failure)) {
                throw failure;
            }
        }
    }

    /** Takes the exchanges before it reads, since the search may complete the batch more than once. */
    private boolean isCompletedInBetween(Batch batch) {
        try {
            batch.complete();
        } catch (RankUnreachableException failure) {
            recover(batch, failure);
            return false;
        }
        takeExchanges(batch);
        return true;
    }

    private long write(Batch batch, long begin) {
        long position = begin;
        for (int place = 0; place < reservedCount; place++) {
            int key = reserved[place];
            write(batch, key, offsets[key], states[key], position);
            position += entryBytes;
        }
        return position;
    }

    /**
     * Lets owners look for all keys that are sought and replace their values, if this is to be done. Then homes are to
     * be exchanged: behind all searches, which would find what is inserted. Returns the position behind the tests.
     */
    private long replace(Batch batch, long begin) {
        long position = begin;
        BulkReplacement asked = replacement;
        if (asked == null) {
            return position;
        }
        try {
            while (searched < soughtCount) {
                int key = sought[searched++];
                if (asked.reserves() && !isPreparedToSearch(batch, asked, key, position)) {
                    continue;
                }
                replacements[key] = ADDED_IN_PART;
                replacements[key] = asked.add(batch, key, firsts[key], position);
                batch.unguard(); // or the next search would begin where this one has found its key
                position += asked.bytes();
            }
        } finally {
            batch.unguard();
        }
        for (int place = 0; place < searched && asked.inserts(); place++) {
            int key = sought[place];
            offsets[key] = asked.home(key, firsts[key]);
            states[key] = FREE;
            found[foundCount++] = key;
        }
        return position;
    }

    /** Returns false if another thread or key holds the key's home: what was read decides then. */
    private boolean isPreparedToSearch(Batch batch, BulkReplacement asked, int key, long position) {
        offsets[key] = asked.home(key, firsts[key]);
        states[key] = FREE;
        if (!isHeld(key) || !Reservations.keepsOut(holds[key])) {
            holds[key] = Reservations.NOT_HELD;
            return false;
        }
        asked.prepare(batch, key, firsts[key], position);
        return true;
    }

    /** Exchanges as many states as there are results, and room for entries. Returns the position behind the entries. */
    private long exchange(Batch batch, long begin) {
        long position = begin;
        long room = Batch.THREAD_BUFFER_BYTES - (guarded ? begin : entries);
        int results = replacement == null ? 0 : searched * replacement.results();
        int most = Math.clamp(room / entryBytes, 1, batch.mostAtomics() - results);
        int place = 0;
        try {
            while (place < foundCount && exchanges < most) {
                int key = found[place++];
                if (!isWritten(states[key]) || isHeld(key)) {
                    exchange(batch, key, position);
                    position += guarded ? entryBytes : 0;
                } else if (isWantedTwice(key)) {
                    seek(key);
                } else {
                    refuse(key);
                }
            }
        } finally {
            batch.unguard();
            System.arraycopy(found, place, found, exchanges, foundCount - place);
            foundCount -= place - exchanges;
        }
        return position;
    }

    private void exchange(Batch batch, int key, long position) {
        batch.unguard();
        int exchange = batch.compareAndExchange(search.owner(key), offsets[key], states[key],
                exchanged(key, states[key])); // (1)
        firstExchange = exchange - exchanges;
        found[exchanges++] = key;
        if (guarded && isWritten(states[key])) {
            batch.guard(exchange);
            writes = exchanges;
            write(batch, key, offsets[key], states[key], position);
        }
    }

    private boolean isHeld(int key) {
        holds[key] = reservations.tryHold(search.owner(key), offsets[key]);
        return holds[key] != Reservations.NOT_HELD;
    }

    /** Returns true if another one of the keys is about to take the key's bucket. */
    private boolean isWantedTwice(int key) {
        return isAmong(reserved, reservedCount, key) || isAmong(found, exchanges, key);
    }

    private boolean isAmong(int[] others, int othersCount, int key) {
        for (int place = 0; place < othersCount; place++) {
            int other = others[place];
            if (offsets[other] == offsets[key] && search.owner(other) == search.owner(key)) {
                return true;
            }
        }
        return false;
    }

    /** Looks for the key anew, or leaves it. */
    private void refuse(int key) {
        if (exchangesHomes() || refusals[key]++ < MOST_REFUSALS) {
            seek(key);
        }
    }

    /** Lets the key be looked for. A round that exchanges homes has left it where it is. */
    private void seek(int key) {
        if (!exchangesHomes()) {
            sought[soughtCount++] = key;
        }
    }

    /** Returns true if the buckets that the round exchanges are the homes of keys that owners look for. */
    private boolean exchangesHomes() {
        return searched > 0 && !Objects.requireNonNull(replacement).reserves();
    }

    /** Adds what is read to check keys, as much as there is room for. Returns the position behind it. */
    private long readToCheck(Batch batch, long begin) {
        checksBegin = begin;
        long position = begin;
        while (checks < uncheckedCount) {
            int key = unchecked[checks];
            if (position + checkBytes[key] > Batch.THREAD_BUFFER_BYTES) {
                break;
            }
            readToCheck(batch, key, position);
            position += checkBytes[key];
            checks++;
        }
        return position;
    }

    // --- what has become of it ---

    private void takeExchanges(Batch batch) {
        for (int place = 0; place < exchanges; place++) {
            witnesses[place] = batch.result(firstExchange + place);
        }
        finish();
        judge();
    }

    /** What was written has arrived. */
    private void finish() {
        for (int place = 0; place < reservedCount; place++) {
            int key = reserved[place];
            release(key);
            stored[key] = true;
        }
        reservedCount = 0;
    }

    private void release(int key) {
        if (holds[key] != Reservations.NOT_HELD) {
            reservations.release(holds[key]);
            holds[key] = Reservations.NOT_HELD;
        }
    }

    private void judge() {
        for (int place = 0; place < exchanges; place++) {
            int key = found[place];
            if (!hasTaken(witnesses[place], states[key])) {
                release(key);
                refuse(key);
            } else if (isWritten(states[key]) && !guarded) {
                reserved[reservedCount++] = key;
            } else {
                release(key);
                stored[key] = true;
            }
        }
        dropExchanged();
    }

    private void dropExchanged() {
        System.arraycopy(found, exchanges, found, 0, foundCount - exchanges);
        foundCount -= exchanges;
        exchanges = 0;
    }

    /** Returns true if an exchange that found this has taken place. */
    boolean hasTaken(long witness, long state) {
        return witness == state;
    }

    /**
     * Takes what owners have replaced. For each key either this or the exchange of its home has taken effect, or
     * neither.
     *
     * @param isWhole false if the round has failed
     */
    private void takeReplacements(Batch batch, boolean isWhole) {
        if (searched == 0) {
            return;
        }
        BulkReplacement asked = Objects.requireNonNull(replacement);
        for (int place = 0; place < searched; place++) {
            int key = sought[place];
            if (isReplaced(batch, key)) {
                stored[key] = true;
                states[key] = batch.result(replacements[key]);
                offsets[key] = asked.firstBucket(key, firsts[key]) + batch.displacement(replacements[key]);
            }
            replacements[key] = NOT_ADDED; // this batch's result is no other one's
            if (isWhole) {
                release(key);
            }
        }
    }

    private boolean isReplaced(Batch batch, int key) {
        return replacements[key] >= 0 && batch.succeeded(replacements[key]);
    }

    private void checkAll(Batch batch) {
        long position = checksBegin;
        for (int place = 0; place < checks; place++) {
            int key = unchecked[place];
            if (passes(batch, key, position)) {
                found[foundCount++] = key;
            }
            position += checkBytes[key];
        }
        System.arraycopy(unchecked, checks, unchecked, 0, uncheckedCount - checks);
        uncheckedCount -= checks;
    }

    /** Takes the searches further for which the round has read. */
    private void advanceAll(Batch batch) {
        int wanted = soughtCount;
        soughtCount = 0;
        for (int place = 0; place < wanted; place++) {
            int key = sought[place];
            if (!stored[key] && (place >= read || !isDecided(batch, key))) {
                sought[soughtCount++] = key;
            }
        }
    }

    private boolean isDecided(Batch batch, int key) {
        long bucket;
        try {
            bucket = search.advance(batch, key);
        } catch (RankUnreachableException failure) {
            lost.add(search.owner(key), failure);
            return true;
        }
        if (bucket == BucketReader.BEHIND || bucket == BucketReader.FULL) {
            return bucket == BucketReader.FULL;
        }
        offsets[key] = bucket < 0 ? ~bucket : bucket;
        states[key] = search.state(key);
        if (isReserved(states[key])) {
            return refusals[key]++ >= MOST_REFUSALS;
        }
        sortIn(batch, key, bucket);
        return true;
    }

    private void sortIn(Batch batch, int key, long bucket) {
        long bytes = bytesToCheck(batch, key, bucket);
        if (bytes == 0) {
            found[foundCount++] = key;
        } else if (bytes <= Batch.THREAD_BUFFER_BYTES - entries) { // more is left to the caller
            checkBytes[key] = (int) bytes;
            unchecked[uncheckedCount++] = key;
        }
    }

    // --- if a rank cannot be reached, or anything else fails ---

    /** Returns true if the failure is that of an owner, which is lost from now on. */
    private boolean isLost(RankUnreachableException failure) {
        int rank = failure.rank();
        boolean isOwner = rank >= 0 && rank < begun.length && begun[rank] > 0;
        boolean isNew = isOwner && lost.add(rank, failure);
        isCutShort |= isNew;
        return isNew;
    }

    private boolean isKnownAsLost(RankUnreachableException failure) {
        return isLost(failure) || lost.has(failure.rank());
    }

    /**
     * Drops the keys of lost owners. Nothing is reserved for them. Also drops those that an owner has stored in a round
     * that was cut short.
     */
    private void dropSettled() {
        soughtCount = withoutSettled(sought, soughtCount);
        uncheckedCount = withoutSettled(unchecked, uncheckedCount);
        foundCount = withoutSettled(found, foundCount);
    }

    private int withoutSettled(int[] keys, int number) {
        int left = 0;
        for (int place = 0; place < number; place++) {
            int key = keys[place];
            if (!stored[key] && !lost.has(search.owner(key))) {
                keys[left++] = key;
            }
        }
        return left;
    }

    /**
     * Settles what a round has exchanged or was to write, of which only a part may have taken effect. What may be
     * reserved is undone. That tells what is stored.
     *
     * @param goesOn true if there are further rounds. If not, it allocates nothing, as far as a bucket is undone at
     * once
     */
    private void settle(Batch batch, boolean goesOn) {
        for (int place = 0; place < reservedCount; place++) {
            settleReserved(reserved[place], goesOn);
        }
        reservedCount = 0;
        for (int place = 0; place < exchanges; place++) {
            settleExchanged(batch, place, goesOn);
        }
        dropExchanged();
        settleSearched(batch, goesOn);
        for (int key = from; key < to; key++) {
            undo(key); // if it is held still: it was about to be exchanged, and is left to the caller
        }
    }

    /** This one was reserved for certain. If it is not any more, it is written. */
    private void settleReserved(int key, boolean goesOn) {
        switch (undo(key)) {
            case BEFORE -> stored[key] = true;
            case NOW -> seek(key);
            case LATER -> doubt(key, goesOn);
        }
    }

    private void settleExchanged(Batch batch, int place, boolean goesOn) {
        int key = found[place];
        boolean isAnswered = batch.answered(firstExchange + place);
        boolean hasTaken = isAnswered && batch.succeeded(firstExchange + place);
        boolean isElsewhere = exchangesHomes() && isReplaced(batch, key); // so its home is not FREE, nor ever will be
        if (isElsewhere || isAnswered && !hasTaken) {
            release(key);
            refuse(key);
        } else if (!isWritten(states[key])) {
            storedOrInDoubt(key, hasTaken, goesOn);
        } else {
            switch (undo(key)) {
                case NOW -> seek(key);
                case BEFORE -> {
                    // Without a write, it never was reserved.
                    if (guarded && place < writes) {
                        storedOrInDoubt(key, hasTaken, goesOn);
                        doubts[key] = hasTaken ? doubts[key] : UNANSWERED;
                    } else {
                        seek(key);
                    }
                }
                case LATER -> doubt(key, goesOn);
            }
        }
    }

    private void settleSearched(Batch batch, boolean goesOn) {
        if (searched == 0) {
            return;
        }
        foundCount = exchangesHomes() ? 0 : foundCount; // without homes that were still to be exchanged
        for (int place = 0; place < searched; place++) {
            int key = sought[place];
            if (isSearchedFor(key)) {
                settleSearched(batch, key, goesOn);
            } else if (!stored[key] && replacements[key] != NOT_ADDED && !isAnswered(batch, replacements[key])) {
                doubt(key, goesOn);
            }
        }
        takeReplacements(batch, false);
    }

    /** Returns true if a bucket may be reserved for the key wherever the owner has found it. */
    private boolean isSearchedFor(int key) {
        return replacement != null && replacement.reserves() && replacements[key] != NOT_ADDED
                && holds[key] != Reservations.NOT_HELD;
    }

    /** Settles a key for which a bucket may be reserved. If none is, and the exchange took place, it is published. */
    private void settleSearched(Batch batch, int key, boolean goesOn) {
        Undone undone = undo(key);
        boolean isAnswered = isAnswered(batch, replacements[key]);
        if (undone != Undone.BEFORE || !isReplaced(batch, key)) {
            replacements[key] = NOT_ADDED;
        }
        if (undone == Undone.LATER || undone == Undone.BEFORE && !isAnswered) {
            doubt(key, goesOn);
        }
    }

    private static boolean isAnswered(Batch batch, int replacement) {
        return replacement >= 0 && batch.answered(replacement);
    }

    private void storedOrInDoubt(int key, boolean isKnown, boolean goesOn) {
        stored[key] = isKnown;
        if (!isKnown) {
            doubt(key, goesOn);
        }
    }

    private void doubt(int key, boolean goesOn) {
        doubts[key] = IN_DOUBT;
        if (goesOn && !lost.has(search.owner(key))) {
            lost.add(search.owner(key), new RankUnreachableException(
                    "an answer was lost with the connection, so look what is stored there", "compareAndExchange",
                    search.owner(key), offsets[key]));
        }
    }

    /** Leaves alone what is not held any more: it was undone before, and may be another thread's now. */
    private Undone undo(int key) {
        int hold = holds[key];
        if (hold == Reservations.NOT_HELD) {
            return Undone.LATER;
        }
        boolean isSearchedFor = isSearchedFor(key);
        holds[key] = Reservations.NOT_HELD;
        if (isSearchedFor) {
            return Objects.requireNonNull(replacement).undo(key, hold);
        }
        return reservations.undo(hold, search.owner(key), offsets[key], exchanged(key, states[key]), undoing());
    }
}
