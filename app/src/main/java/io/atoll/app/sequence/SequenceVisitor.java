package io.atoll.app.sequence;

/** What is done with the reads of a file, as they pass by. */
public interface SequenceVisitor {

    /** A read begins: nothing that follows belongs to what came before. */
    void startRead();

    /**
     * The next letters of the present read, {@code from} inclusive to {@code to} exclusive; line ends are not among them. Where a read
     * is cut into calls means nothing. The buffer is valid during the call only.
     */
    void bases(byte[] buffer, int from, int to);
}
