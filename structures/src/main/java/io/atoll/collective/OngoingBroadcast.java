package io.atoll.collective;

import io.atoll.collective.CollectiveLog.Run;
import org.jspecify.annotations.Nullable;

/** A broadcast of this rank, and how far it has come. A caller that gave up waiting for it can go on with it later. */
final class OngoingBroadcast {

    /** The largest number of broadcasts of a rank in a generation. */
    static final long MOST = 1L << 48;

    final Generation generation;
    final long number;
    final Algorithm algorithm;
    final long counted; // the value of the counter before this broadcast
    private final long place;
    private final long bytes;
    private volatile @Nullable Run run;
    private volatile long sent;
    private volatile boolean complete;
    private volatile boolean told;

    /** @param number among the broadcasts of this rank in the generation, from 1 */
    OngoingBroadcast(Generation generation, long number, Algorithm algorithm, long counted, long place, long bytes) {
        this.generation = generation;
        this.number = number;
        this.algorithm = algorithm;
        this.counted = counted;
        this.place = place;
        this.bytes = bytes;
    }

    /** From now on the log is told of its end. */
    void logTo(Run begun) {
        run = begun;
    }

    /** Records that all members have it. */
    void finish() {
        complete = true;
        Run logged = run;
        if (logged != null) {
            logged.finish();
        }
    }

    /** Returns true if this process knows that all members have it. */
    boolean isComplete() {
        return complete;
    }

    /** Returns true if a caller was told how this broadcast ended. */
    boolean isTold() {
        return told;
    }

    /**
     * Tells a caller how this broadcast ended.
     *
     * @throws io.atoll.failure.RankUnreachableException if another generation than its own began before all members had
     * it: then it was given up
     */
    void refuseIfGivenUp(Window window) {
        Generation now = window.generation();
        told = true;
        if (!complete && now != generation) {
            Run logged = run;
            if (logged != null) {
                logged.close();
            }
            window.requireSame(generation, now);
        }
    }

    /** Returns the bytes that are on their way. The broadcast makes progress as long as this grows. */
    long sent() {
        return sent;
    }

    boolean isSent() {
        return sent == bytes;
    }

    /** Returns the next piece, of at most {@code mostBytes} bytes. */
    ForwardRequest next(int root, long mostBytes) {
        long piece = Math.min(mostBytes, bytes - sent);
        return new ForwardRequest(root, number, place + sent, piece, sent + piece == bytes);
    }

    void hasSent(ForwardRequest piece) {
        sent = sent + piece.bytes(); // by one thread at a time
    }
}
