package io.atoll.fabric.trace;

/**
 * What has crossed the fabric to one rank and back, since the process began. An atomic carries a word each way, which is
 * not among the bytes.
 *
 * @param rank that the verbs went to; this process's own where a network card executes those to its segment, too
 * @param reads verbs, as are the writes and atomics, those in batches included
 * @param bytesRead by the reads
 * @param bytesWritten by the writes
 */
public record PeerTraffic(int rank, long reads, long writes, long atomics, long bytesRead, long bytesWritten) {

    public long verbs() {
        return reads + writes + atomics;
    }
}
