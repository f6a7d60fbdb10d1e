package io.atoll.fabric.trace;

import io.atoll.fabric.Verb;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Counts how often this process has used each verb that crosses the fabric, alone and in batches. Also counts what went
 * to which rank. The caller gives it to {@code WorldBuilder.verbCounts}. Any thread may read the counts.
 *
 * <p>Loads and stores of memory that is mapped into this process are no verbs, and are not counted. So on shared memory
 * alone all counts are 0. Verbs to this process's own segment are {@link Locality#LOCAL}. They go through a network
 * card if its atomics are not those of the CPU.
 *
 * <p>To count, a thread loads and stores a word in its own part of an array. This takes no atomic and no fence, so
 * other threads see the count a little late. Threads whose ids are {@value #PARTS} apart share a part. If they count in
 * the same nanosecond, one of the two counts may be lost: these are statistics.
 */
public final class VerbCounts {

    /**
     * The verbs and bytes that have crossed the fabric to one rank and back since the process began. An atomic carries
     * a word each way. These words are not among the bytes.
     *
     * @param rank the rank that the verbs went to. It is this process's own rank where a network card executes verbs to
     * its own segment
     * @param reads the number of reads, including those in batches; writes and atomics are counted in the same way
     * @param bytesRead the bytes that the reads moved
     * @param bytesWritten the bytes that the writes moved
     */
    public record PeerTraffic(int rank, long reads, long writes, long atomics, long bytesRead, long bytesWritten) {

        public long verbs() {
            return reads + writes + atomics;
        }
    }

    /**
     * The interval of samples, a power of two. One verb in this many that a thread sends to a rank is timed. Reads,
     * writes, atomics and flushes each have an interval of their own. One batch in this many is timed, too.
     */
    public static final int SAMPLE_INTERVAL = 1024;

    static final int PARTS = 1024;
    private static final int LOCALITIES = Locality.values().length;

    // The counters of each part: first the verbs, by kind and locality. Then, by locality, the number of batches, of
    // their verbs and of their bytes. A part takes whole cache lines.
    private static final int BATCHES = Verb.values().length * LOCALITIES;
    private static final int BATCHED_VERBS = BATCHES + LOCALITIES;
    private static final int BATCHED_BYTES = BATCHED_VERBS + LOCALITIES;
    private static final int PART_SHIFT = Integer.SIZE - Integer.numberOfLeadingZeros(BATCHED_BYTES + LOCALITIES - 1);

    private final long[] counts = new long[PARTS << PART_SHIFT];
    private final Map<Integer, PeerCounter> peers = new ConcurrentHashMap<>(); // by rank
    private volatile VerbSamples samples = VerbSamples.NONE;

    /** Sets the only listener that is told from now on how long verbs take. */
    public void sampleTo(VerbSamples listener) {
        samples = listener;
    }

    VerbSamples samples() {
        return samples;
    }

    /** Returns the number of verbs of this kind, including those in batches. */
    public long verbs(Verb verb, Locality locality) {
        return sum(kind(verb, locality));
    }

    /**
     * Stores the numbers of verbs of all kinds at once, as {@link #verbs(Verb, Locality)} returns them. It allocates
     * nothing, so a caller may ask all the time.
     *
     * @param into receives the numbers, by {@link Verb#ordinal()}
     */
    public void verbs(Locality locality, long[] into) {
        Arrays.fill(into, 0);
        for (int part = 0; part < counts.length; part += 1 << PART_SHIFT) {
            for (int kind = 0; kind < into.length; kind++) {
                into[kind] += counts[part + kind * LOCALITIES + locality.ordinal()];
            }
        }
    }

    /**
     * Returns what has gone to each rank, in the order of ranks. A rank to which no verb has gone is absent. Each of
     * the others takes 4 KiB of Java's heap.
     */
    public List<PeerTraffic> peers() {
        return peers.values()
                .stream()
                .map(PeerCounter::traffic)
                .filter(traffic -> traffic.verbs() > 0)
                .sorted(Comparator.comparingInt(PeerTraffic::rank))
                .toList();
    }

    /** Returns the counter of the rank. The first call makes it. */
    PeerCounter peer(int rank) {
        return peers.computeIfAbsent(rank, PeerCounter::new);
    }

    /** Returns the number of batches that were begun. A batch to several ranks is {@link Locality#REMOTE}. */
    public long batches(Locality locality) {
        return sum(BATCHES + locality.ordinal());
    }

    /** Returns the number of verbs of all batches together. */
    public long batchedVerbs(Locality locality) {
        return sum(BATCHED_VERBS + locality.ordinal());
    }

    /**
     * Returns the number of bytes that the verbs of all batches have moved. An atomic counts as 8, and a search as 16
     * if the owner decides it.
     */
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

    /** Returns the index at which the part of the calling thread begins. */
    private static int part() {
        return ((int) Thread.currentThread().threadId() & PARTS - 1) << PART_SHIFT;
    }

    /**
     * Counts the verb. Returns true if the verb is to be timed, which is the last one in each {@link #SAMPLE_INTERVAL}.
     */
    boolean count(Verb verb, Locality locality) {
        return ++counts[part() + kind(verb, locality)] % SAMPLE_INTERVAL == 0;
    }

    /**
     * Returns true if the batch that this thread begins is to be timed. That is the first one, and the first after each
     * {@link #SAMPLE_INTERVAL}.
     */
    boolean isNextBatchTimed() {
        int batches = part() + BATCHES;
        long begun = 0;
        for (int locality = 0; locality < LOCALITIES; locality++) {
            begun += counts[batches + locality];
        }
        return begun % SAMPLE_INTERVAL == 0;
    }

    /** Counts a batch and its contents. */
    void countBatch(Locality locality, int verbs, long bytes) {
        int part = part() + locality.ordinal();
        counts[part + BATCHES]++;
        counts[part + BATCHED_VERBS] += verbs;
        counts[part + BATCHED_BYTES] += bytes;
    }
}
