package io.atoll.fabric.trace;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The verbs that a thread used, in the order of its calls.
 *
 * @param roundTrips how often the thread waited for the other side
 */
public record Journal(List<Entry> entries, int roundTrips) {

    /** The effect of a verb, named as in the costs of operations. */
    public enum Kind {
        /** A remote read. */
        R,
        /** A remote write. */
        W,
        /** A remote atomic. */
        A
    }

    /**
     * One verb.
     *
     * @param offset in the rank's segment, in bytes
     * @param bytes that it moves; 8 for an atomic, and those of all records for a search
     * @param isGuarded true if it takes effect only if an exchange of its batch took place, or a search found a record
     */
    public record Entry(Kind kind, int rank, long offset, long bytes, boolean isGuarded) {

        /** A verb without a guard. */
        public Entry(Kind kind, int rank, long offset, long bytes) {
            this(kind, rank, offset, bytes, false);
        }

        /**
         * Returns a text such as {@code A 1+128}, or {@code W 1+136 (24 bytes)} if it moves other than one word. A
         * guarded verb ends with {@code if succeeded}.
         */
        @Override
        public String toString() {
            return kind + " " + rank + "+" + offset + (bytes == Long.BYTES ? "" : " (" + bytes + " bytes)")
                    + (isGuarded ? " if succeeded" : "");
        }
    }

    public Journal {
        entries = List.copyOf(entries);
    }

    public int reads() {
        return count(Kind.R);
    }

    public int writes() {
        return count(Kind.W);
    }

    public int atomics() {
        return count(Kind.A);
    }

    private int count(Kind kind) {
        return (int) entries.stream().filter(entry -> entry.kind() == kind).count();
    }

    /** Returns the number of bytes read, written or updated. */
    public long bytes() {
        return entries.stream().mapToLong(Entry::bytes).sum();
    }

    /** Returns the ranks whose segments were used. */
    public SortedSet<Integer> ranks() {
        return entries.stream().map(Entry::rank).collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns a text such as {@code A 1+128, W 1+136 (24 bytes); 2 round trips; rank 1}, or {@code no verb}. */
    @Override
    public String toString() {
        if (entries.isEmpty()) {
            return "no verb";
        }
        String list = entries.stream().map(Entry::toString).collect(Collectors.joining(", "));
        String ranks = ranks().stream().map(String::valueOf).collect(Collectors.joining(", "));
        return list + "; " + roundTrips + (roundTrips == 1 ? " round trip" : " round trips")
                + (ranks().size() == 1 ? "; rank " : "; ranks ") + ranks;
    }
}
