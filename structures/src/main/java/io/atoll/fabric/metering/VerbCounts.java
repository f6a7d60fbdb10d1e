package io.atoll.fabric.metering;

import io.atoll.fabric.Verb;
import java.util.Arrays;

/**
 * How often this process has used each verb, and in what batches. To be given to {@code WorldBuilder.verbCounts}. Any thread may ask.
 *
 * <p>Made to be cheap beside a find in mapped memory, tens of nanoseconds: a count is a load and a store in a part of an array that is the thread's own. No
 * atomic, which would hold up the memory accesses under way, and no fence, so what others see is a little late. Threads whose ids are {@value #PARTS} apart
 * share a part, and one of two counts that they make in the same nanosecond may be lost: these are statistics.
 *
 * <p>A verb on mapped memory counts like any other, and what an operation searches there in one go as one read, with one exception. A find in a {@code
 * LongLongMap} is so short that what it does beside its memory access shows, and holds up the next: of those on mapped memory one in {@value io.atoll.fabric.Endpoint#SHARES} counts
 * for all. Which, its key's hash says, and another share of the hashes does so in turn, ten times a second: a count of a second is an
 * estimate, one of a minute is near, also where all finds are of one key.
 *
 * <p>Of batches on mapped memory a thread counts {@value #EXACT_BATCHES} one by one in each of these tenths of a second; of those beyond, one in {@value
 * #BATCHES_FOR_ALL} on average, chosen at random, counts for itself and those up to the next. So of a thread that is not busy nothing is estimated.
 */
public final class VerbCounts {

    /** Of so many verbs of a thread and kind one is timed. A power of two. */
    public static final int SAMPLE_INTERVAL = 1024;

    /**
     * So many batches of a thread on mapped memory are counted one by one in each turn. Few, beside all of a busy one: else HotSpot takes counting for what mostly happens, and
     * compiles it into each verb.
     */
    static final int EXACT_BATCHES = 250;

    /** One in so many of those beyond, on average, counts for all. */
    static final int BATCHES_FOR_ALL = 256;

    private static final int PARTS = 1024;
    private static final int LOCALITIES = Locality.values().length;

    // Of each part: verbs by kind and locality, then of batches, by locality, their number, verbs and bytes. Whole cache lines.
    private static final int BATCHES = Verb.values().length * LOCALITIES;
    private static final int BATCHED_VERBS = BATCHES + LOCALITIES;
    private static final int BATCHED_BYTES = BATCHED_VERBS + LOCALITIES;
    private static final int PART_SHIFT = Integer.SIZE - Integer.numberOfLeadingZeros(BATCHED_BYTES + LOCALITIES - 1);

    private final long[] counts = new long[PARTS << PART_SHIFT];
    private long turns = 1; // plain: that it has changed may be seen late
    private volatile VerbSamples samples = VerbSamples.NONE;

    /** From now on tells this one how long verbs take, and nobody else. */
    public void sampleTo(VerbSamples listener) {
        samples = listener;
    }

    VerbSamples samples() {
        return samples;
    }

    /** Verbs of this kind, those in batches included. */
    public long verbs(Verb verb, Locality locality) {
        return sum(kind(verb, locality));
    }

    /**
     * As {@link #verbs(Verb, Locality)}, of all kinds in one go, for who asks all the time. Allocates nothing.
     *
     * @param into by {@link Verb#ordinal()}
     */
    public void verbs(Locality locality, long[] into) {
        Arrays.fill(into, 0);
        for (int part = 0; part < counts.length; part += 1 << PART_SHIFT) {
            for (int kind = 0; kind < into.length; kind++) {
                into[kind] += counts[part + kind * LOCALITIES + locality.ordinal()];
            }
        }
    }

    /** Batches that were begun; one to several ranks is {@link Locality#REMOTE}. */
    public long batches(Locality locality) {
        return sum(BATCHES + locality.ordinal());
    }

    /** Verbs of all batches together. */
    public long batchedVerbs(Locality locality) {
        return sum(BATCHED_VERBS + locality.ordinal());
    }

    /** Bytes that the verbs of all batches have moved; 8 for an atomic. */
    public long batchedBytes(Locality locality) {
        return sum(BATCHED_BYTES + locality.ordinal());
    }

    private long sum(int counter) {
        long sum = 0;
        for (int part = 0; part < PARTS; part++) {
            sum += counts[(part << PART_SHIFT) + counter];
        }
        return sum;
    }

    private static int kind(Verb verb, Locality locality) {
        return verb.ordinal() * LOCALITIES + locality.ordinal();
    }

    /** Where the calling thread counts. */
    static int part() {
        return ((int) Thread.currentThread().threadId() & PARTS - 1) << PART_SHIFT;
    }

    /** Whoever calls this at the same time may undo a turn of another's. */
    void turn() {
        turns++;
    }

    long turns() {
        return turns;
    }

    /** Returns whether it is one that is to be timed. */
    boolean count(Verb verb, Locality locality, int verbs) {
        return count(part(), verb, locality, verbs);
    }

    /** As {@link #count(Verb, Locality, int)}, for who knows the calling thread's part. */
    boolean count(int part, Verb verb, Locality locality, int verbs) {
        int counter = part + kind(verb, locality);
        long before = counts[counter];
        counts[counter] = before + verbs;
        return (before ^ before + verbs) >= SAMPLE_INTERVAL;
    }

    /** Returns whether the batch that begins, and stands for so many, is one that is to be timed: the first, and the first after each {@link #SAMPLE_INTERVAL}. */
    boolean countBatch(int part, Locality locality, int batches) {
        int counter = part + BATCHES + locality.ordinal();
        long before = counts[counter];
        counts[counter] = before + batches;
        return Math.floorDiv(before - 1, SAMPLE_INTERVAL) != Math.floorDiv(before + batches - 1, SAMPLE_INTERVAL);
    }

    /** What batches had in them. */
    void countBatched(int part, Locality locality, long verbs, long bytes) {
        counts[part + BATCHED_VERBS + locality.ordinal()] += verbs;
        counts[part + BATCHED_BYTES + locality.ordinal()] += bytes;
    }
}
