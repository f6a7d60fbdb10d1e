package io.atoll.fabric.trace;

import io.atoll.fabric.Verb;
import io.atoll.memory.Layouts;
import org.jspecify.annotations.Nullable;

/**
 * Tells which verbs cross a fabric, and counts them. The batches of threads refer to this object, so it does not refer
 * to the fabric. A thread's batch that refers back to its fabric would stay as long as the thread does.
 */
final class Crossings {

    /** The answer of an owner that has searched: a word, and where it was found. */
    private static final long FOUND_BYTES = 2 * Layouts.WORD;

    private final VerbCounts counts;
    private final boolean ownersSearch;
    private final int ownRank;
    private final boolean[] mapped; // by rank; plain: a change may be seen late
    /** The cells of each rank's PeerCounter. Plain: a thread that does not see them asks for them again. */
    private final long @Nullable [][] peers;

    /** @param ownersSearch false if the records of a search are read */
    Crossings(VerbCounts counts, boolean ownersSearch, int ownRank, int size) {
        this.counts = counts;
        this.ownersSearch = ownersSearch;
        this.ownRank = ownRank;
        this.mapped = new boolean[size];
        this.peers = new long[size][];
    }

    /** Sets whether the rank's segment is mapped here from now on. */
    void map(int target, boolean isMapped) {
        mapped[target] = isMapped;
    }

    boolean isCounted(int target) {
        return !mapped[target];
    }

    VerbCounts counts() {
        return counts;
    }

    /**
     * Returns the bytes that a verb of a batch moves over the fabric.
     *
     * @param bytes that it concerns: of a search those of all records
     */
    long moved(Verb verb, long bytes) {
        return verb == Verb.SEARCH && ownersSearch ? FOUND_BYTES : bytes;
    }

    Locality locality(int target) {
        return target == ownRank ? Locality.LOCAL : Locality.REMOTE;
    }

    /** Counts a verb that crosses the fabric. Returns true if the verb is to be timed. */
    boolean count(Verb verb, int target, long bytes) {
        counts.count(verb, locality(target));
        long[] known = peers[target];
        return PeerCounter.count(known == null ? peer(target) : known, target, verb, bytes);
    }

    private long[] peer(int target) {
        long[] cells = counts.peer(target).cells();
        peers[target] = cells;
        return cells;
    }

    /** Counts the verb if it crosses the fabric. Returns the time if this one is timed, else 0. */
    long begin(Verb verb, int target, long bytes) {
        return isCounted(target) && count(verb, target, bytes) ? System.nanoTime() : 0;
    }

    /** As {@link #begin}, of a verb that goes to all ranks. It counts as one verb to another rank. */
    long beginForAll(Verb verb) {
        return counts.count(verb, Locality.REMOTE) ? System.nanoTime() : 0;
    }

    /** @param target the rank that the verb has gone to, or {@link VerbSamples#ALL_RANKS} */
    void end(Verb verb, int target, long began) {
        if (began != 0) {
            counts.samples().verb(verb, locality(target), target, System.nanoTime() - began);
        }
    }
}
