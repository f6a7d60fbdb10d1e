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
 * Which structure lies where, as far as this process has opened it: by this, failures name it. Asked only when there is a
 * failure, so no operation pays for it.
 *
 * <p>It knows the blocks that each structure was opened with. Structures that have more, and move it, are asked at that
 * moment. So nobody need tell when a block was replaced. It keeps no structure alive that the application has dropped.
 * Objects of the heap belong to nobody here: their users know them.
 */
public final class StructureLocator {

    /** A structure that has more in the heap than the block it was opened with. */
    public interface Occupant {

        /** The name that it was opened by. */
        String name();

        /** Whether it uses that byte, as far as this process knows. No verb: the rank may be away. */
        boolean occupies(int rank, long offset);
    }

    /** Blocks in the order of their ranks, which are those that have one. */
    private record Opened(StructureName structure, int[] ranks, long[] offsets, long[] bytes) {

        boolean contains(int rank, long offset) {
            int index = Arrays.binarySearch(ranks, rank);
            return index >= 0 && offset >= offsets[index] && offset - offsets[index] < bytes[index];
        }
    }

    private final Map<String, Opened> opened = new ConcurrentHashMap<>();
    private final Set<Occupant> occupants = Collections.newSetFromMap(new WeakHashMap<>()); // guarded by itself

    /**
     * The structure was opened.
     *
     * @param offsets of its block at each rank
     * @param bytes of that block, 0 where there is none
     */
    public void opened(StructureName structure, long[] offsets, long[] bytes) {
        int[] ranks = IntStream.range(0, bytes.length).filter(rank -> bytes[rank] > 0).toArray();
        opened.put(structure.name(), new Opened(structure, ranks,
                Arrays.stream(ranks).mapToLong(rank -> offsets[rank]).toArray(),
                Arrays.stream(ranks).mapToLong(rank -> bytes[rank]).toArray()));
    }

    /** It is asked from now on, for as long as somebody else keeps it. */
    public void ask(Occupant occupant) {
        synchronized (occupants) {
            occupants.add(occupant);
        }
    }

    /** What failures call the structure that this process has opened by that name; null if it has not. */
    public @Nullable StructureName named(String name) {
        Opened known = opened.get(name);
        return known == null ? null : known.structure();
    }

    /** Whose that byte is; null if nobody knows. */
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

    /** As {@link #find}, for a message: what its facts begin with, nothing if nobody knows. */
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
