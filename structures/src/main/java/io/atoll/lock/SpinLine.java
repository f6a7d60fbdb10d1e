package io.atoll.lock;

import io.atoll.fabric.Batch;
import io.atoll.failure.RankUnreachableException;
import io.atoll.lock.SpinHold.Stage;

/**
 * The accesses of a request to its lock, one round trip each. The holder's name stands where other locks have the tail
 * of their queue.
 */
final class SpinLine {

    private static final long HOLDER = LockLine.REMOTE_TAIL;
    private static final long HOLDERS_WORDS = LockLine.TOKEN; // from here on the words belong to the holder

    private SpinLine() {}

    /** Makes the request the holder in the place of the expected one. Returns the name that was there. Cost: A + R. */
    static long reserve(SpinHold request, long expected) {
        int owner = request.owner();
        Batch batch = FabricLines.batch(request);
        request.stage = Stage.IN_DOUBT;
        int result = exchangeFirst(batch, request, expected);
        batch.read(owner, request.line() + HOLDERS_WORDS, 0, LockLine.SIZE - HOLDERS_WORDS);
        batch.complete();
        long witness = batch.result(result);
        request.stage = witness == expected ? Stage.HOLDING : Stage.OUTSIDE;
        if (witness == expected) {
            request.takeToken(batch.word(LockLine.TOKEN - HOLDERS_WORDS),
                    batch.word(LockLine.RECOVERIES - HOLDERS_WORDS),
                    batch.word(LockLine.ACKNOWLEDGED - HOLDERS_WORDS));
        }
        return witness;
    }

    /**
     * Adds the exchange as the batch's first verb. An owner that is away refuses that verb, so nothing was posted. Then
     * there is nothing to take back, and the descriptor need not be kept until the owner returns.
     */
    private static int exchangeFirst(Batch batch, SpinHold request, long expected) {
        try {
            return batch.compareAndExchange(request.owner(), request.line() + HOLDER, expected, request.name());
        } catch (RankUnreachableException away) {
            request.stage = Stage.OUTSIDE;
            throw away;
        }
    }

    /**
     * Counts the death of the former holder. Done again if an answer was missing: it does not matter if one death is
     * counted twice. Cost: R and W, one after the other.
     */
    static void countDeath(SpinHold request) {
        long died = FabricLines.read(request, LockLine.RECOVERIES) + 1;
        Batch batch = FabricLines.batch(request);
        batch.writeWord(request.owner(), request.line() + LockLine.RECOVERIES, died);
        batch.complete();
        request.token += died - request.died;
        request.died = died;
        request.recovered = true;
        request.takesOver = false;
    }

    /** Returns true if the request is the holder. Cost: R. */
    static boolean isHeldBy(SpinHold request) {
        return FabricLines.read(request, HOLDER) == request.name();
    }

    /** Returns the number of deaths that the holders know of. Cost: R. */
    static long acknowledged(SpinHold request) {
        return FabricLines.read(request, LockLine.ACKNOWLEDGED);
    }

    /** Releases the lock. Only the holder may call this. Cost: W + A, W more after a death. */
    static void release(SpinHold request) {
        int owner = request.owner();
        Batch batch = FabricLines.batch(request);
        request.stage = Stage.IN_DOUBT;
        if (request.entered) {
            FabricLines.writeToken(batch, request);
        }
        batch.compareAndExchange(owner, request.line() + HOLDER, request.name(), Tail.FREE);
        batch.complete();
        request.stage = Stage.OUTSIDE;
    }
}
