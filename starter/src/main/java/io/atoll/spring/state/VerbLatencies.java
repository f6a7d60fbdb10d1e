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
 * How long the last verbs took that were timed: of each kind and locality {@value #KEPT} of them, and of those to each rank
 * {@value #KEPT_OF_A_PEER}, of whatever kind. Any thread may use it. A sample costs four atomic operations; there is one in
 * a thousand verbs. A rank takes 1 KiB.
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

    /** How many samples there were, and the last of them in nanoseconds. */
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
     * @param sampled how many were timed
     * @param nanos of the last of them, in ascending order
     */
    record Timed(long sampled, long[] nanos) {

        static final Timed NONE = new Timed(0, new long[0]);

        @Nullable Long mean() {
            return nanos.length == 0 ? null : Long.valueOf(Math.round(Arrays.stream(nanos).average().orElseThrow()));
        }

        /** So many of a hundred took no longer. */
        @Nullable Long percentile(int percent) {
            return nanos.length == 0 ? null : Long.valueOf(nanos[(nanos.length - 1) * percent / 100]);
        }
    }

    /** A flush is none of those to a rank: it waits for what others have begun. */
    @Override
    public void verb(Verb verb, Locality locality, int target, long nanos) {
        kinds.get(verb).get(locality).add(nanos);
        if (verb != Verb.FLUSH) {
            peers.computeIfAbsent(target, _ -> new Row(KEPT_OF_A_PEER)).add(nanos);
        }
    }

    /** How long batches took says nothing about one verb. */
    @Override
    public void batch(Locality locality, int verbs, long bytes, long nanos) {}

    Timed kind(Verb verb, Locality locality) {
        return kinds.get(verb).get(locality).timed();
    }

    /** Of those that went to the rank, but flushes. */
    Timed peer(int rank) {
        Row row = peers.get(rank);
        return row == null ? Timed.NONE : row.timed();
    }
}
