package io.atoll.fabric;

import io.atoll.failure.StructureName;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Tells which structure lies where, as far as this process has opened it, so that failures can name it. It is asked
 * only after a failure, so no operation pays for it.
 *
 * <p>It knows the blocks that each structure was opened with. A structure that has more memory, and moves it, is asked
 * at the moment of the failure. So it need not tell when it replaces a block. The locator keeps no structure alive that
 * the application has dropped. Objects of the heap belong to no structure here: their users know them.
 */
public final class StructureLocator {

    /** A structure that has more in the heap than the block it was opened with. */
    public interface Occupant {

        /** Returns the name that it was opened by. */
        String name();

        /**
         * Returns true if the structure uses that byte, as far as this process knows. Posts no verb: the rank may be
         * away.
         */
        boolean occupies(int rank, long offset);
    }

    /**
     * An opened structure. The ranks are those that have a block, in their order; offsets and bytes belong to the same
     * index.
     */
    private record Opened(StructureName structure, int[] ranks, long[] offsets, long[] bytes) {

        boolean contains(int rank, long offset) {
            int index = Arrays.binarySearch(ranks, rank);
            return index >= 0 && offset >= offsets[index] && offset - offsets[index] < bytes[index];
        }
    }

    private final Map<String, Opened> opened = new ConcurrentHashMap<>();
    private final Set<Occupant> occupants = Collections.newSetFromMap(new WeakHashMap<>()); // guarded by itself

    /**
     * Notes that the structure was opened.
     *
     * @param offsets of its block at each rank
     * @param bytes of that block, 0 if there is none
     */
    public void opened(StructureName structure, long[] offsets, long[] bytes) {
        int[] ranks = IntStream.range(0, bytes.length).filter(rank -> bytes[rank] > 0).toArray();
        opened.put(structure.name(), new Opened(structure, ranks,
                Arrays.stream(ranks).mapToLong(rank -> offsets[rank]).toArray(),
                Arrays.stream(ranks).mapToLong(rank -> bytes[rank]).toArray()));
    }

    /** Asks the occupant from now on, while it is reachable from elsewhere. */
    public void ask(Occupant occupant) {
        synchronized (occupants) {
            occupants.add(occupant);
        }
    }

    /**
     * Returns what failures call the structure that this process has opened by that name; null if it has opened none.
     */
    public @Nullable StructureName named(String name) {
        Opened known = opened.get(name);
        return known == null ? null : known.structure();
    }

    /** Returns the structure that uses that byte; null if it is not known. */
    public @Nullable StructureName find(int rank, long offset) {
        for (Opened each : opened.values()) {
            if (each.contains(rank, offset)) {
                return each.structure();
            }
        }
        for (Occupant each : asked()) {
            if (each.occupies(rank, offset)) {
                return named(each.name());
            }
        }
        return null;
    }

    /** As {@link #find}, as the beginning of a message's facts; the empty text if the structure is not known. */
    public String facts(int rank, long offset) {
        StructureName structure = find(rank, offset);
        return structure == null ? "" : structure + " ";
    }

    private List<Occupant> asked() {
        synchronized (occupants) {
            return List.copyOf(occupants);
        }
    }
}
