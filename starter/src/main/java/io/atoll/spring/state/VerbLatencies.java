package io.atoll.spring.state;

import io.atoll.fabric.Verb;
import io.atoll.fabric.trace.Locality;
import io.atoll.fabric.trace.VerbSamples;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The durations of the last timed verbs. Keeps {@value #KEPT} of each kind and locality. Also keeps
 * {@value #KEPT_OF_A_PEER} of those to each rank, whatever their kind. Any thread may use it. A sample costs four
 * atomic operations, and one in a thousand verbs is sampled. A rank takes 1 KiB.
 */
public final class VerbLatencies implements VerbSamples {

    static final int KEPT = 512;
    static final int KEPT_OF_A_PEER = 128;

    private final Map<Verb, Map<Locality, Row>> kinds = new EnumMap<>(Verb.class);
    private final Map<Integer, Row> peers = new ConcurrentHashMap<>(); // by rank

    public VerbLatencies() {
        for (Verb verb : Verb.values()) {
            Map<Locality, Row> localities = new EnumMap<>(Locality.class);
            for (Locality locality : Locality.values()) {
                localities.put(locality, new Row(KEPT));
            }
            kinds.put(verb, localities);
        }
    }

    /** The number of samples, and the last of them in nanoseconds. */
    private static final class Row {

        private final int kept;
        private final AtomicLongArray words;

        Row(int kept) {
            this.kept = kept;
            this.words = new AtomicLongArray(1 + kept);
        }

        void add(long nanos) {
            words.set(1 + (int) (words.getAndIncrement(0) % kept), nanos);
        }

        Timed timed() {
            long sampled = words.get(0);
            long[] nanos = new long[(int) Math.min(kept, sampled)];
            Arrays.setAll(nanos, at -> words.get(1 + at));
            Arrays.sort(nanos);
            return new Timed(sampled, nanos);
        }
    }

    /**
     * @param sampled how many verbs were timed
     * @param nanos the durations of the last of them, in ascending order
     */
    record Timed(long sampled, long[] nanos) {

        static final Timed NONE = new Timed(0, new long[0]);

        @Nullable Long mean() {
            return nanos.length == 0 ? null : Long.valueOf(Math.round(Arrays.stream(nanos).average().orElseThrow()));
        }

        /** Returns the duration that this percentage of the verbs did not exceed. */
        @Nullable Long percentile(int percent) {
            return nanos.length == 0 ? null : Long.valueOf(nanos[(nanos.length - 1) * percent / 100]);
        }
    }

    /** A flush does not count for a rank, since it waits for verbs that other threads have begun. */
    @Override
    public void verb(Verb verb, Locality locality, int target, long nanos) {
        kinds.get(verb).get(locality).add(nanos);
        if (verb != Verb.FLUSH) {
            peers.computeIfAbsent(target, _ -> new Row(KEPT_OF_A_PEER)).add(nanos);
        }
    }

    /** The duration of a batch says nothing about one verb. */
    @Override
    public void batch(Locality locality, int verbs, long bytes, long nanos) {}

    Timed kind(Verb verb, Locality locality) {
        return kinds.get(verb).get(locality).timed();
    }

    /** Returns the durations of verbs to the rank, without flushes. */
    Timed peer(int rank) {
        Row row = peers.get(rank);
        return row == null ? Timed.NONE : row.timed();
    }
}
