package io.atoll.fabric.trace;

import io.atoll.fabric.Verb;

/**
 * Tells which verbs cross a fabric, and counts them. The batches of threads refer to this object, so it does not refer
 * to the fabric. A thread's batch that refers back to its fabric would stay as long as the thread does.
 */
final class Crossings {

    private final VerbCounts counts;
    private final int ownRank;
    private final boolean[] mapped; // by rank; plain: a change may be seen late

    Crossings(VerbCounts counts, int ownRank, int size) {
        this.counts = counts;
        this.ownRank = ownRank;
        this.mapped = new boolean[size];
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

    Locality locality(int target) {
        return target == ownRank ? Locality.LOCAL : Locality.REMOTE;
    }

    /** Counts the verb if it crosses the fabric. Returns the time if this verb is timed; otherwise 0. */
    long begin(Verb verb, int target) {
        return isCounted(target) ? begin(verb, locality(target)) : 0;
    }

    long begin(Verb verb, Locality locality) {
        return counts.count(verb, locality) ? System.nanoTime() : 0;
    }

    void end(Verb verb, int target, long began) {
        end(verb, locality(target), began);
    }

    void end(Verb verb, Locality locality, long began) {
        if (began != 0) {
            counts.samples().verb(verb, locality, System.nanoTime() - began);
        }
    }
}
