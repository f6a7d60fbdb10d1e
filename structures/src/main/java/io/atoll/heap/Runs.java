package io.atoll.heap;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Runs of one or more consecutive slabs each. A run comes into being at the end of the chain by one
 * compare-and-exchange, which also makes it findable. So wherever a rank dies, its run either is in the chain under its
 * name or does not exist.
 */
public final class Runs {

    /** There is no run of the wanted length. */
    public static final int NOT_FOUND = -1;

    /**
     * The bytes at the end of an announced run, before its link. They say where the run is made known, and by which
     * value.
     */
    public static final long ANNOUNCEMENT_BYTES = 2 * Layouts.WORD;

    // a free run is used if the request leaves at most one of this many parts of it unused
    private static final int PARTS = 4;

    /** A retired run waits for this many epochs. */
    public static final int EPOCHS_OF_GRACE = 2;

    private static final MemorySegment ZEROS = Arena.global().allocate(32 << 10);

    private final SlabTable table;
    private final Endpoint endpoint;
    private final HeapArea area;
    private final SearchHints hints;
    private final Coalescing coalescing;
    private final int incarnation;

    public Runs(SlabTable table, int incarnation) {
        this.table = table;
        this.endpoint = table.endpoint();
        this.area = table.area();
        this.hints = table.hints();
        this.coalescing = new Coalescing(table, incarnation);
        this.incarnation = incarnation;
    }

    /**
     * Makes a zeroed run, pending in this rank's name. Cost: 2 R + 2 A; W for each 32 KiB and a flush more if it is a
     * reused one. If no run fits and there is no fresh slab: R for each window of the table and a few verbs for each
     * run that is joined.
     *
     * @return its first slab, or {@link #NOT_FOUND}
     */
    public int claim(int target, int slabs) {
        long hint = hints.look(target, SearchHints.RUNS);
        int slab = claim(target, slabs, hint, SearchHints.slab(hint));
        if (slab == NOT_FOUND && SearchHints.slab(hint) > 0) {
            slab = claim(target, slabs, hint, 0);
        }
        if (slab == NOT_FOUND) {
            slab = coalescing.claim(target, slabs);
            if (slab != NOT_FOUND) {
                zero(target, slab, slabs);
            }
        }
        return slab;
    }

    private int claim(int target, int slabs, long hint, int from) {
        SlabTable.Walk walk = table.walk(target, from);
        int firstFree = NOT_FOUND;
        while (!claimHere(walk, target, slabs)) {
            if (walk.atEnd()) {
                return NOT_FOUND;
            }
            if (firstFree == NOT_FOUND && SlabWord.state(walk.word()) == SlabWord.FREE) {
                firstFree = walk.slab();
            }
            walk.next();
        }
        hints.advance(target, SearchHints.RUNS, hint, firstFree == NOT_FOUND ? walk.slab() : firstFree);
        return walk.slab();
    }

    private boolean claimHere(SlabTable.Walk walk, int target, int slabs) {
        while (walk.atEnd() ? slabs <= area.slabs() - walk.slab() : isFreeFor(walk.word(), slabs)) {
            boolean fresh = walk.atEnd();
            int length = fresh ? slabs : SlabWord.length(walk.word());
            if (walk.exchange(SlabWord.pending(length, endpoint.rank(), incarnation))) {
                if (!fresh) {
                    zero(target, walk.slab(), length);
                }
                return true;
            }
        }
        return false;
    }

    private static boolean isFreeFor(long word, int slabs) {
        int unused = SlabWord.length(word) - slabs;
        return SlabWord.state(word) == SlabWord.FREE && unused >= 0 && unused * PARTS <= SlabWord.length(word);
    }

    /** Flushed, because the caller may make the run known by a word of another rank. */
    private void zero(int target, int slab, int length) {
        try {
            long end = area.slabOffset(slab + length);
            for (long offset = area.slabOffset(slab); offset < end; offset += ZEROS.byteSize()) {
                endpoint.write(target, offset, ZEROS, 0, Math.min(ZEROS.byteSize(), end - offset));
            }
            endpoint.flush(target);
        } catch (VirtualMachineError | LinkageError error) {
            giveBack(target, slab, length);
            throw error;
        }
    }

    /** Frees a run that this process has claimed. Returns false if it is something else by now. Cost: A. */
    public boolean giveBack(int target, int slab, int length) {
        long pending = SlabWord.pending(length, endpoint.rank(), incarnation);
        return table.compareAndExchange(target, slab, pending, SlabWord.free(length)) == pending;
    }

    /**
     * From now on the word decides what becomes of the run if the rank that reserved it dies. If the word has this
     * value, the run is committed; otherwise it is taken back. Cost: R + W + A and a flush.
     *
     * @param place the place of the word that makes the run known, in any segment. It may be another one than before if
     * the run was announced and is not known
     */
    public void announce(int target, long offset, GlobalPointer place, long value) {
        int slab = slabAt(target, offset);
        long word = table.word(target, slab);
        writeAnnouncement(target, slab, word, place, value);
        if (!SlabWord.isAnnounced(word)) {
            table.replace(target, slab, SlabWord.pending(SlabWord.length(word), endpoint.rank(), incarnation),
                    SlabWord.announced(word));
        }
    }

    /**
     * Makes a run in use pending in this rank's name, and announced. Cost: 2 R + W + A and a flush; A more if another
     * rank left the run pending.
     *
     * @param place the place of the word that has the value as long as the run is in use, in any segment
     */
    public void uncommit(int target, long offset, GlobalPointer place, long value) {
        // (3) before the announcement changes: the repair of the rank that left the run pending reads the state again
        // after the announcement, see isKnown.
        commit(target, offset);
        int slab = slabAt(target, offset);
        long word = table.word(target, slab);
        writeAnnouncement(target, slab, word, place, value);
        long pending = SlabWord.pending(SlabWord.length(word), endpoint.rank(), incarnation);
        if (table.compareAndExchange(target, slab, word, SlabWord.announced(pending)) != word) {
            throw refusal("another rank gives this run back, too", target, offset);
        }
    }

    /** Commits a run that this rank has announced, if it still is announced. Cost: R + A. */
    public void settle(int target, long offset) {
        int slab = slabAt(target, offset);
        long word = table.word(target, slab);
        if (SlabWord.isAnnounced(word) && SlabWord.isUnfinishedBy(word, endpoint.rank(), incarnation)) {
            table.compareAndExchange(target, slab, word, SlabWord.owned(word));
        }
    }

    /**
     * Frees a run that this process has announced with this word, unless it is known, or something else by now. Cost: 4
     * R + 2 A.
     */
    public void withdraw(int target, long offset, GlobalPointer place, long value) {
        int slab = slabAt(target, offset);
        long word = table.word(target, slab);
        long pending = SlabWord.pending(SlabWord.length(word), endpoint.rank(), incarnation);
        if (word == SlabWord.announced(pending) && isAnnouncedWith(target, slab, word, place, value)) {
            long settled = isKnown(target, slab, word) ? SlabWord.owned(word) : SlabWord.free(SlabWord.length(word));
            if (table.compareAndExchange(target, slab, word, settled) == word
                    && SlabWord.state(settled) == SlabWord.FREE) {
                hints.announce(target, SearchHints.RUNS, slab);
            }
        }
    }

    /**
     * Returns true if a run, in use or pending, begins there, and its last announcement named this word and value.
     * Cost: 2 R.
     */
    public boolean isAnnounced(int target, long offset, GlobalPointer place, long value) {
        int slab = slabAt(target, offset);
        long word = table.word(target, slab);
        boolean isRun = SlabWord.state(word) == SlabWord.OWNED || SlabWord.state(word) == SlabWord.PENDING;
        return isRun && isAnnouncedWith(target, slab, word, place, value);
    }

    private boolean isAnnouncedWith(int target, int slab, long word, GlobalPointer place, long value) {
        long[] announced = readAnnouncement(target, slab, word);
        return announced[0] == place.toWord() && announced[1] == value;
    }

    private void writeAnnouncement(int target, int slab, long word, GlobalPointer place, long value) {
        endpoint.write(target, announcement(slab, word), MemorySegment.ofArray(new long[]{place.toWord(), value}), 0,
                ANNOUNCEMENT_BYTES);
        // (1) before it counts as announced: a rank that finds it announced (2) reads what was written.
        endpoint.flush(target);
    }

    private long[] readAnnouncement(int target, int slab, long word) {
        long[] announced = new long[2];
        endpoint.read(target, announcement(slab, word), MemorySegment.ofArray(announced), 0, ANNOUNCEMENT_BYTES);
        return announced;
    }

    /** Returns the offset of the announcement, which stands before the last word of the run. */
    private long announcement(int slab, long word) {
        return area.slabOffset(slab + SlabWord.length(word)) - Layouts.WORD - ANNOUNCEMENT_BYTES;
    }

    /**
     * Returns what becomes of a run that a dead rank left pending. Returns the word unchanged if that cannot be told
     * now.
     */
    private long settled(int target, int slab, long word) {
        try {
            return SlabWord.isAnnounced(word) && isKnown(target, slab, word)
                    ? SlabWord.owned(word)
                    : SlabWord.free(SlabWord.length(word));
        } catch (RankUnreachableException gone) {
            if (gone.rank() == target) {
                throw gone;
            }
            // The rank whose word would tell is unreachable. The repair after a later incarnation asks again.
            return word;
        }
    }

    /**
     * Returns true if the word that a run has announced has the value. Returns true, too, if the run is not any more
     * what it was.
     */
    boolean isKnown(int target, int slab, long word) {
        // (2) after the state was read: see (1).
        long[] announced = readAnnouncement(target, slab, word);
        // It was the run's own announcement only if the state is the same: another rank may have freed the run
        // meanwhile.
        if (table.word(target, slab) != word) {
            return true;
        }
        return endpoint.readWord(GlobalPointer.rankOf(announced[0]),
                GlobalPointer.offsetOf(announced[0])) == announced[1];
    }

    // --- retired runs ---

    /**
     * Lets the run be freed two epochs after this one, once the word does not have this value any more. Does nothing if
     * the run is retired already, or the word has another value. Cost: 2 R + W + A and a flush.
     *
     * @param place the place of the word by which the run is still known, in any segment
     */
    public void retire(int target, long offset, GlobalPointer place, long value, long epoch) {
        int slab = slabAt(target, offset);
        long word = table.word(target, slab);
        // While the word has the value, no rank frees the run. So what was read before is the run's state.
        if (SlabWord.isRetired(word) || endpoint.readWord(place.rank(), place.offset()) != value) {
            return;
        }
        if (SlabWord.state(word) != SlabWord.OWNED) {
            throw refusal("no committed run begins here", target, offset);
        }
        writeAnnouncement(target, slab, word, place, value);
        // If it fails, another rank that does the same was faster.
        table.compareAndExchange(target, slab, word, SlabWord.retired(word, epoch));
    }

    /**
     * Frees the retired runs whose time has come. Cost: R for each window of the table; 4 R + 2 A for each run.
     *
     * @param epoch gives the world's epoch; asked again if a run seems to be of a later one
     */
    public Sweep freeRetired(int target, LongSupplier epoch) {
        long now = epoch.getAsLong();
        int freed = 0;
        int waiting = 0;
        int longest = Integer.MIN_VALUE;
        for (SlabTable.Walk walk = table.walk(target, 0); !walk.atEnd(); walk.next()) {
            long word = walk.word();
            if (SlabWord.isRetired(word)) {
                if (SlabWord.waited(word, now) >= EPOCHS_OF_GRACE && !isKnown(target, walk.slab(), word)) {
                    if (walk.exchange(SlabWord.free(SlabWord.length(word)))) {
                        hints.announce(target, SearchHints.RUNS, walk.slab());
                        freed++;
                    }
                } else {
                    waiting++;
                    longest = Math.max(longest, SlabWord.waited(word, now));
                    if (isOfLostEpochs(word, now, epoch)) {
                        walk.exchange(SlabWord.retired(word, now + 1));
                    }
                }
            }
        }
        return new Sweep(freed, waiting, longest);
    }

    /**
     * Returns true if the run names an epoch later than the next one. This happens only if epochs have been counted
     * anew.
     */
    private static boolean isOfLostEpochs(long retired, long now, LongSupplier epoch) {
        return SlabWord.waited(retired, now) < -1 && SlabWord.waited(retired, epoch.getAsLong()) < -1;
    }

    /**
     * The number of runs that were freed, and of those that wait.
     *
     * @param longest the number of epochs that the oldest waiting run has waited
     */
    public record Sweep(int freed, int waiting, int longest) {}

    // --- giving back ---

    /**
     * Commits the run. Does nothing to a run that is owned already. So a rank that finishes for a dead one may repeat
     * it. Cost: R + A.
     */
    public void commit(int target, long offset) {
        int slab = slabAt(target, offset);
        long word = table.word(target, slab);
        while (SlabWord.state(word) == SlabWord.PENDING) {
            long witness = table.compareAndExchange(target, slab, word, SlabWord.owned(word));
            if (witness == word) {
                return;
            }
            word = witness;
        }
        if (SlabWord.state(word) != SlabWord.OWNED) {
            throw refusal("no reserved run begins here", target, offset);
        }
    }

    /** Frees the run whose word was read as {@code word}. Cost: 2 A. */
    public void free(int target, long offset, long word) {
        int slab = slabAt(target, offset);
        long current = word;
        while (SlabWord.state(current) == SlabWord.PENDING || SlabWord.state(current) == SlabWord.OWNED) {
            long witness = table.compareAndExchange(target, slab, current, SlabWord.free(SlabWord.length(current)));
            if (witness == current) {
                hints.announce(target, SearchHints.RUNS, slab);
                return;
            }
            current = witness;
        }
        throw refusal("no object, and no run in use begins here", target, offset);
    }

    /** Returns the bytes of the committed run that begins there, 0 if none does. Cost: R. */
    public long bytes(int target, long offset) {
        long word = table.word(target, slabAt(target, offset));
        return SlabWord.state(word) == SlabWord.OWNED ? SlabWord.length(word) * area.slabBytes() : 0;
    }

    private int slabAt(int target, long offset) {
        int slab = area.slabAt(offset);
        if (area.slabOffset(slab) != offset) {
            throw refusal("not the beginning of a run", target, offset);
        }
        return slab;
    }

    private static IllegalArgumentException refusal(String reason, int target, long offset) {
        return new IllegalArgumentException(reason + ": rank=" + target + " offset=" + offset);
    }

    /** Frees what the dead incarnation, or one before it, left pending and unknown. Returns the bytes. */
    public long reclaim(int target, int rank, int deadIncarnation) {
        long slabs = 0;
        for (SlabTable.Walk walk = table.walk(target, 0); !walk.isAtLastEnd(); walk.next()) {
            long word = walk.word();
            if (SlabWord.isUnfinishedBy(word, rank, deadIncarnation)) {
                long settled = settled(target, walk.slab(), word);
                if (walk.exchange(settled) && SlabWord.state(settled) == SlabWord.FREE) {
                    hints.announce(target, SearchHints.RUNS, walk.slab());
                    slabs += SlabWord.length(word);
                }
            }
        }
        return slabs * area.slabBytes();
    }

    /**
     * Returns the lengths, in slabs, of the stretches of free runs that follow each other. Cost: R for each window of
     * the table.
     */
    public int[] freeStretches(int target) {
        SlabTable.Walk walk = table.walk(target, 0);
        IntStream.Builder stretches = IntStream.builder();
        int first = 0; // the first of the free runs that follow each other up to here
        for (; !walk.atEnd(); walk.next()) {
            if (SlabWord.state(walk.word()) != SlabWord.FREE) {
                stretches.add(walk.slab() - first);
                first = walk.slab() + SlabWord.length(walk.word());
            }
        }
        return stretches.add(area.slabs() - first).build().filter(length -> length > 0).toArray();
    }

    /** Returns the failure to reserve {@code askedBytes} bytes. Cost: 2 R for each window of the table. */
    public SegmentFullException full(int target, long askedBytes) {
        long unit = area.slabBytes();
        long retiredBytes = retiredSlabs(target) * unit;
        // Last: the caller tries again if another rank has made room up to now.
        int[] stretches = freeStretches(target);
        return new SegmentFullException(target, askedBytes, Arrays.stream(stretches).sum() * unit,
                Arrays.stream(stretches).max().orElse(0) * unit, retiredBytes);
    }

    private long retiredSlabs(int target) {
        long slabs = 0;
        for (SlabTable.Walk walk = table.walk(target, 0); !walk.atEnd(); walk.next()) {
            slabs += SlabWord.isRetired(walk.word()) ? SlabWord.length(walk.word()) : 0;
        }
        return slabs;
    }
}
