package io.atoll.fabric;

/** Is told, by the thread that uses a batch, what it is used for. */
public interface BatchListener {

    /** @param bytes that the verb moves, 8 for an atomic */
    void added(Verb verb, int rank, long bytes);

    /** Everything that was added since the last time has taken effect. */
    void completed();
}
