package io.atoll.heap.run;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.table.HeapArea;
import io.atoll.heap.table.RoomHints;
import io.atoll.heap.table.SlabTable;
import io.atoll.heap.table.SlabWord;
import io.atoll.memory.Layouts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * One or more consecutive slabs each. A run comes into being at the end of the chain by one compare-and-exchange, which
 * makes it findable by the same stroke: wherever a rank dies, its run either is in the chain under its name or does not
 * exist.
 */
public final class Runs {

    /** No run of that length is to be had. */
    public static final int NOT_FOUND = -1;

    /** At the end of a run that is announced, before its link: where it is made known, and by which value. */
    public static final long ANNOUNCEMENT_BYTES = 2 * Layouts.WORD;

    private static final int PARTS = 4; // a free run serves a request that leaves one part in so many of it unused

    private static final MemorySegment ZEROS = Arena.global().allocate(32 << 10);

    private final SlabTable table;
    private final Endpoint endpoint;
    private final HeapArea area;
    private final RoomHints hints;
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
     * reused one. Where there is none that fits and no fresh slab, R for each window of the table and a few verbs for
     * each run that is joined.
     *
     * @return its first slab, or {@link #NOT_FOUND}
     */
    public int claim(int target, int slabs) {
        long hint = hints.look(target, RoomHints.RUNS);
        int slab = claim(target, slabs, hint, RoomHints.slab(hint));
        if (slab == NOT_FOUND && RoomHints.slab(hint) > 0) {
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
        hints.advance(target, RoomHints.RUNS, hint, firstFree == NOT_FOUND ? walk.slab() : firstFree);
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

    /** Flushed, because whoever makes the run known may do so by a word of another rank. */
    private void zero(int target, int slab, int length) {
        long end = area.slabOffset(slab + length);
        for (long offset = area.slabOffset(slab); offset < end; offset += ZEROS.byteSize()) {
            endpoint.write(target, offset, ZEROS, 0, Math.min(ZEROS.byteSize(), end - offset));
        }
        endpoint.flush(target);
    }

    /**
     * From now on the run, if whoever reserved it dies, is committed if the word has that value, and taken back if not. Cost: R + W + A and a flush.
     *
     * @param place of the word that makes the run known, in the same segment
     */
    public void announce(int target, long offset, long place, long value) {
        int slab = slabAt(target, offset);
        long word = table.word(target, slab);
        endpoint.write(target, announcement(slab, word), MemorySegment.ofArray(new long[]{place, value}), 0,
                ANNOUNCEMENT_BYTES);
        // (1) before it counts as announced: whoever finds it so (2) reads what was written.
        endpoint.flush(target);
        table.replace(target, slab, SlabWord.pending(SlabWord.length(word), endpoint.rank(), incarnation),
                SlabWord.announced(word));
    }

    /** Before the last word of the run. */
    private long announcement(int slab, long word) {
        return area.slabOffset(slab + SlabWord.length(word)) - Layouts.WORD - ANNOUNCEMENT_BYTES;
    }

    /** What a run becomes that a dead rank left pending. */
    private long settled(int target, int slab, long word) {
        return SlabWord.isAnnounced(word) && isKnown(target, announcement(slab, word))
                ? SlabWord.owned(word)
                : SlabWord.free(SlabWord.length(word));
    }

    boolean isKnown(int target, long announcement) {
        // (2) after the state was read: see (1).
        long place = endpoint.readWord(target, announcement);
        return endpoint.readWord(target, place) == endpoint.readWord(target, announcement + Layouts.WORD);
    }

    /**
     * Does nothing to a run that is owned already, so that whoever finishes for a dead rank may repeat it. Cost: R + A.
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
                hints.announce(target, RoomHints.RUNS, slab);
                return;
            }
            current = witness;
        }
        throw refusal("no object, and no run in use begins here", target, offset);
    }

    /** Of the run that is committed and begins there, 0 if none does. Cost: R. */
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
        for (SlabTable.Walk walk = table.walk(target, 0); !walk.atEnd(); walk.next()) {
            long word = walk.word();
            if (SlabWord.isUnfinishedBy(word, rank, deadIncarnation)) {
                long settled = settled(target, walk.slab(), word);
                if (walk.exchange(settled) && SlabWord.state(settled) == SlabWord.FREE) {
                    hints.announce(target, RoomHints.RUNS, walk.slab());
                    slabs += SlabWord.length(word);
                }
            }
        }
        return slabs * area.slabBytes();
    }

    /** The failure to reserve so many bytes. Cost: R for each window of the table. */
    public SegmentFullException full(int target, long askedBytes) {
        SlabTable.Walk walk = table.walk(target, 0);
        long freeSlabs = 0;
        for (; !walk.atEnd(); walk.next()) {
            freeSlabs += SlabWord.state(walk.word()) == SlabWord.FREE ? SlabWord.length(walk.word()) : 0;
        }
        freeSlabs += area.slabs() - walk.slab();
        return new SegmentFullException(target, askedBytes, freeSlabs * area.slabBytes());
    }
}
