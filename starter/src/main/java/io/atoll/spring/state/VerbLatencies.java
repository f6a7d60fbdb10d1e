package io.atoll.spring.state;

import io.atoll.fabric.Verb;
import io.atoll.fabric.trace.Locality;
import io.atoll.fabric.trace.VerbSamples;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long the last verbs took that were timed, of each kind and locality {@value #KEPT} of them. Any thread may use it. A
 * sample costs two atomic operations; there is one in a thousand verbs.
 */
public final class VerbLatencies implements VerbSamples {

    static final int KEPT = 512;

    private static final int LOCALITIES = Locality.values().length;

    // Of each kind and locality: how many there were, then the last of them in nanoseconds.
    private static final int ROW = KEPT + 1;

    private final AtomicLongArray rows = new AtomicLongArray(Verb.values().length * LOCALITIES * ROW);

    private static int row(Verb verb, Locality locality) {
        return (verb.ordinal() * LOCALITIES + locality.ordinal()) * ROW;
    }

    @Override
    public void verb(Verb verb, Locality locality, long nanos) {
        int row = row(verb, locality);
        rows.set(row + 1 + (int) (rows.getAndIncrement(row) % KEPT), nanos);
    }

    /** How long batches took says nothing about one verb. */
    @Override
    public void batch(Locality locality, int verbs, long bytes, long nanos) {}

    /** How many verbs were timed. */
    long sampled(Verb verb, Locality locality) {
        return rows.get(row(verb, locality));
    }

    /** Of the last of them, in ascending order. */
    long[] nanos(Verb verb, Locality locality) {
        int row = row(verb, locality);
        long[] nanos = new long[(int) Math.min(KEPT, rows.get(row))];
        Arrays.setAll(nanos, at -> rows.get(row + 1 + at));
        Arrays.sort(nanos);
        return nanos;
    }
}
