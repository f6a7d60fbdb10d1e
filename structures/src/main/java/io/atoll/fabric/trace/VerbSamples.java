package io.atoll.fabric.trace;

import io.atoll.fabric.Verb;

/**
 * Receives the durations of some verbs: of one verb in {@link VerbCounts#SAMPLE_INTERVAL} that a thread sends to a
 * rank. The thread that used the verb calls it.
 */
public interface VerbSamples {

    /** Stands for the rank of a flush that went to all ranks. */
    int ALL_RANKS = -1;

    /** Ignores all samples. */
    VerbSamples NONE = new VerbSamples() {

        @Override
        public void verb(Verb verb, Locality locality, int target, long nanos) {
            // No caller has asked for samples.
        }

        @Override
        public void batch(Locality locality, int verbs, long bytes, long nanos) {
            // No caller has asked for samples.
        }
    };

    /** @param target the rank that the verb went to, or {@link #ALL_RANKS} */
    void verb(Verb verb, Locality locality, int target, long nanos);

    /**
     * @param verbs the number of verbs that were posted at once
     * @param nanos the time from the first of them to the completion of all
     */
    void batch(Locality locality, int verbs, long bytes, long nanos);
}
