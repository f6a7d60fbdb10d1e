package io.atoll.fabric.trace;

/**
 * The verbs and bytes that have crossed the fabric to one rank and back since the process began. An atomic carries a
 * word each way. These words are not among the bytes.
 *
 * @param rank the rank that the verbs went to. It is this process's own rank where a network card executes verbs to its
 * own segment
 * @param reads the number of reads, including those in batches; writes and atomics are counted in the same way
 * @param bytesRead the bytes that the reads moved
 * @param bytesWritten the bytes that the writes moved
 */
public record PeerTraffic(int rank, long reads, long writes, long atomics, long bytesRead, long bytesWritten) {

    public long verbs() {
        return reads + writes + atomics;
    }
}
