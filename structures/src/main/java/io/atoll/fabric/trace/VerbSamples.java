package io.atoll.fabric.trace;

import io.atoll.fabric.Verb;

/** Is told how long some of the verbs took: of each thread one in {@link VerbCounts#SAMPLE_INTERVAL}. Called by the thread that used the verb. */
public interface VerbSamples {

    /** Keeps nothing. */
    VerbSamples NONE = new VerbSamples() {

        @Override
        public void verb(Verb verb, Locality locality, long nanos) {
            // Nobody asked.
        }

        @Override
        public void batch(Locality locality, int verbs, long bytes, long nanos) {
            // Nobody asked.
        }
    };

    void verb(Verb verb, Locality locality, long nanos);

    /**
     * @param verbs that were posted at once
     * @param nanos from the first of them to the completion of all
     */
    void batch(Locality locality, int verbs, long bytes, long nanos);
}
