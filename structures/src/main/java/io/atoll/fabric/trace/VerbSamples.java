package io.atoll.fabric.trace;

import io.atoll.fabric.Verb;

/**
 * Receives how long some of the verbs took: for each thread one verb in {@link VerbCounts#SAMPLE_INTERVAL}. The thread
 * that used the verb calls it.
 */
public interface VerbSamples {

    /** Keeps nothing. */
    VerbSamples NONE = new VerbSamples() {

        @Override
        public void verb(Verb verb, Locality locality, long nanos) {
            // No caller has asked for samples.
        }

        @Override
        public void batch(Locality locality, int verbs, long bytes, long nanos) {
            // No caller has asked for samples.
        }
    };

    void verb(Verb verb, Locality locality, long nanos);

    /**
     * @param verbs that were posted at once
     * @param nanos from the first of them to the completion of all
     */
    void batch(Locality locality, int verbs, long bytes, long nanos);
}
