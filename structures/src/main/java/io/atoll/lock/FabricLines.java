package io.atoll.lock;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;

/**
 * Reaches the lines of locks through the fabric. That holds for lines in the own segment as well, whose owner's CPU may
 * not be atomic with the fabric. Each line is reached by the endpoint of its segment. So a lock that was lost is never
 * mistaken for another one.
 */
final class FabricLines {

    private FabricLines() {}

    private static boolean isOwn(RequestedHold request) {
        return request.owner() == request.endpoint().rank();
    }

    /** Returns the former value. Cost: A. */
    public static long compareAndExchange(RequestedHold request, long field, long expected, long value) {
        int owner = request.owner();
        Endpoint endpoint = request.endpoint();
        long word = request.line() + field;
        return isOwn(request)
                ? endpoint.fabric().compareAndExchange(owner, word, expected, value)
                : endpoint.compareAndExchange(owner, word, expected, value);
    }

    /** Cost: R. */
    public static long read(RequestedHold request, long field) {
        Endpoint endpoint = request.endpoint();
        long word = request.line() + field;
        return isOwn(request)
                ? endpoint.fabric().readWord(request.owner(), word)
                : endpoint.readWord(request.owner(), word);
    }

    /** Returns true if a verb to the line that has failed has certainly not been executed. */
    public static boolean executesAtOnce(RequestedHold request) {
        int owner = request.owner();
        Endpoint endpoint = request.endpoint();
        return isOwn(request) ? endpoint.fabric().executesAtOnce(owner) : endpoint.executesAtOnce(owner);
    }

    /** Returns an empty batch for verbs to the line. */
    public static Batch batch(RequestedHold request) {
        Endpoint endpoint = request.endpoint();
        return isOwn(request) ? endpoint.fabric().batch() : endpoint.batch(request.owner());
    }

    /**
     * Adds a read of the whole line. It reads the tails first and then the token, which a holder writes before it
     * leaves. Cost: R, in two parts if one read would not arrive whole.
     */
    public static void addRead(Batch batch, RequestedHold request, long position) {
        int owner = request.owner();
        Endpoint endpoint = request.endpoint();
        if (endpoint.guarantees().atomicReadBytes() >= LockLine.SIZE) {
            batch.read(owner, request.line(), position, LockLine.SIZE);
            return;
        }
        batch.read(owner, request.line(), position, LockLine.TOKEN);
        if (!endpoint.guarantees().readsInOrder()) {
            batch.complete();
        }
        batch.read(owner, request.line() + LockLine.TOKEN, position + LockLine.TOKEN, LockLine.SIZE - LockLine.TOKEN);
    }

    /** Adds what the next holder reads of the request, which holds the lock. Cost: W; W more after a death. */
    public static void writeToken(Batch batch, RequestedHold request) {
        batch.writeWord(request.owner(), request.line() + LockLine.TOKEN, request.token);
        if (request.recovered) {
            batch.writeWord(request.owner(), request.line() + LockLine.ACKNOWLEDGED, request.died);
        }
    }
}
