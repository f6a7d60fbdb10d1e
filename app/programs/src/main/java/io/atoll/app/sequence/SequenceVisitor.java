package io.atoll.app.sequence;

/** Receives the reads of a file one after the other. */
public interface SequenceVisitor {

    /** A read begins. The bases that follow do not belong to the read before. */
    void startRead();

    /**
     * Passes the next letters of the present read, {@code from} inclusive to {@code to} exclusive, without line ends. A
     * read may be cut into calls anywhere. The buffer is valid during the call only.
     */
    void bases(byte[] buffer, int from, int to);
}
