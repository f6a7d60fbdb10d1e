package io.atoll.heap;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Tells where a search may begin, for free runs and for the objects of each size class. No rank knows of any room
 * before this slab.
 * <pre>
 *   63                       32 31                        0
 *   +--------------------------+--------------------------+
 *   |   announcements so far   |           slab           |
 *   +--------------------------+--------------------------+
 * </pre>
 * A rank that makes room announces it afterwards. A rank that searched in vain advances the hint, unless there was an
 * announcement meanwhile. It stays a hint: a rank that dies between making room and announcing it leaves the hint too
 * high. So no rank may conclude from it that a segment is full.
 */
final class SearchHints {

    /** The kind of room that is a free run. The size classes follow. */
    public static final int RUNS = 0;

    private static final int SLAB_BITS = 32;
    private static final long SLAB_MASK = (1L << SLAB_BITS) - 1;
    private static final long ANNOUNCEMENT = 1L << SLAB_BITS;

    private final Endpoint endpoint;
    private final HeapArea area;

    SearchHints(Endpoint endpoint, HeapArea area) {
        this.endpoint = endpoint;
        this.area = area;
    }

    public static int objectsOf(int sizeClass) {
        return 1 + sizeClass;
    }

    /** Returns the hint as it is now, for {@link #slab} and {@link #advance}. Cost: R. */
    public long look(int target, int kind) {
        return endpoint.readWord(target, area.hintOffset(kind));
    }

    public static int slab(long hint) {
        return (int) (hint & SLAB_MASK);
    }

    /**
     * Announces that this slab has room from now on. Cost: A, and one more or several where the hint is higher.
     * Lock-free.
     */
    public void announce(int target, int kind, int slab) {
        try {
            count(target, kind, slab);
        } catch (VirtualMachineError | LinkageError unannounced) {
            Aftermath.warn("room in a heap is found when there seems to be no other", unannounced);
        }
    }

    private void count(int target, int kind, int slab) {
        long offset = area.hintOffset(kind);
        // Counted even if the hint is low enough: a rank that passed the slab too early and is about to advance the
        // hint must fail.
        long current = endpoint.getAndAdd(target, offset, ANNOUNCEMENT) + ANNOUNCEMENT;
        while (slab(current) > slab) {
            long witness = endpoint.compareAndExchange(target, offset, current, current & ~SLAB_MASK | slab);
            if (witness == current) {
                return;
            }
            current = witness;
        }
    }

    /** Returns a number that changes whenever a rank announces room. Cost: R. */
    public long announcements(int target) {
        long[] hints = new long[HeapArea.HINTS];
        endpoint.read(target, area.hintOffset(0), MemorySegment.ofArray(hints), 0, hints.length * Layouts.WORD);
        return Arrays.stream(hints).map(hint -> hint >>> SLAB_BITS).sum();
    }

    /** As {@link #advance}, by a batch. */
    public void addAdvance(Batch batch, int target, int kind, long seen, int slab) {
        batch.compareAndExchange(target, area.hintOffset(kind), seen, seen & ~SLAB_MASK | slab);
    }

    /**
     * Notes that nothing before this slab has room, as found by a search that began with the hint {@code seen}. Cost:
     * A, or nothing if the hint says so already.
     */
    public void advance(int target, int kind, long seen, int slab) {
        if (slab > slab(seen)) {
            try {
                endpoint.compareAndExchange(target, area.hintOffset(kind), seen, seen & ~SLAB_MASK | slab);
            } catch (VirtualMachineError | LinkageError passedInVain) {
                Aftermath.warn("the next search in a heap takes longer", passedInVain);
            }
        }
    }
}
