package io.atoll.fabric.trace;

import io.atoll.fabric.Verb;

/**
 * Is told how long some of the verbs took: of those of a thread to a rank one in {@link VerbCounts#SAMPLE_INTERVAL}. Called by
 * the thread that used the verb.
 */
public interface VerbSamples {

    /** In the place of a rank: the verb, a flush, went to all of them. */
    int ALL_RANKS = -1;

    /** Keeps nothing. */
    VerbSamples NONE = new VerbSamples() {

        @Override
        public void verb(Verb verb, Locality locality, int target, long nanos) {
            // Nobody asked.
        }

        @Override
        public void batch(Locality locality, int verbs, long bytes, long nanos) {
            // No caller has asked for samples.
        }
    };

    /** @param target the rank that it went to, or {@link #ALL_RANKS} */
    void verb(Verb verb, Locality locality, int target, long nanos);

    /**
     * @param verbs that were posted at once
     * @param nanos from the first of them to the completion of all
     */
    void batch(Locality locality, int verbs, long bytes, long nanos);
}
