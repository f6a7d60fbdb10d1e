package io.atoll.completion;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.memory.Layouts;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The present rounds of several operations, in one batch to one rank. So a rank that is lost fails no operation of
 * another rank. The thread that polls uses it. While a thread awaits the answers, no other touches the batch.
 */
final class Round {

    /** A batch has so much room that its verbs go into one frame of any network. */
    private static final long BYTES = Batch.THREAD_BUFFER_BYTES;

    // A batch may hold more atomics than Batch.ATOMICS. But an owner decides what so many of them guard in one frame. A
    // verb in another frame than its guard would wait for the guard's answer, under the lock of all operations.

    private final Fabric fabric;
    private final Batch batch;
    private final Operation<?>[] operations = new Operation<?>[Batch.ATOMICS];
    private final long[] positions = new long[Batch.ATOMICS];
    private int owner;
    private int count;
    private int submissions; // that the operations carry out
    private int taken; // operations that have taken their answers
    private int handed; // operations that have been told what follows
    private long scratchBytes; // at the beginning of the buffer
    private long bytes; // of the buffer that are taken
    private int atomics;
    private boolean isPosted; // and its answers are not handed yet
    private boolean isAwaited; // a thread waits for the answers, outside the lock
    private volatile boolean hasArrived; // written last by that thread
    private @Nullable Throwable failure;

    Round(Fabric fabric) {
        this.fabric = fabric;
        this.batch = fabric.newBatch(BYTES);
    }

    boolean isOf(Fabric other) {
        return fabric == other;
    }

    /** Returns true if nobody uses it. */
    boolean isIdle() {
        return count == 0;
    }

    /** Returns true if it is to be posted. */
    boolean isFilling() {
        return count > 0 && !isPosted;
    }

    boolean isPosted() {
        return isPosted;
    }

    /** Begins to gather operations for the owner of this one. */
    void beginWith(Operation<?> operation) {
        owner = operation.owner();
        count = 0;
        submissions = 0;
        taken = 0;
        handed = 0;
        scratchBytes = Math.ceilDiv(operation.scratchBytes(), Layouts.CACHE_LINE) * Layouts.CACHE_LINE;
        bytes = scratchBytes;
        atomics = 0;
    }

    boolean hasOwnerOf(Round other) {
        return owner == other.owner;
    }

    /** Returns how many submissions have their verbs in it. */
    int submissions() {
        return submissions;
    }

    /** Returns true if the next round of this operation goes to the same rank, and has room. */
    boolean takes(Operation<?> operation, Fabric of) {
        return isFilling() && of == fabric && operation.owner() == owner && count < operations.length
                && operation.scratchBytes() <= scratchBytes && bytes + operation.bytes() <= BYTES
                && atomics + operation.atomics() <= Batch.ATOMICS;
    }

    /** Adds the operation's verbs. If that fails, the operation has failed. */
    void add(Operation<?> operation) {
        long position = bytes;
        operations[count] = operation;
        positions[count] = position;
        count++;
        submissions += operation.requests();
        try {
            bytes += operation.bytes();
            atomics += operation.atomics();
            operation.add(batch, position);
        } catch (Throwable refused) {
            batch.unguard();
            operation.fail(refused);
        }
    }

    /** Sends what was added. It does not wait for the answers. */
    void post() {
        hasArrived = false;
        failure = null;
        isPosted = true; // from now on it is not posted again
        try {
            batch.post();
        } catch (Throwable refused) {
            failure = refused;
            hasArrived = true;
        }
    }

    boolean isAwaited() {
        return isAwaited;
    }

    /** Says that the calling thread waits for the answers. {@link #await} follows, outside the lock. */
    void beginToAwait() {
        isAwaited = true;
    }

    /** Waits for the answers. */
    void await() {
        try {
            batch.complete();
        } catch (Throwable lost) {
            failure = lost;
        } finally {
            hasArrived = true;
        }
    }

    /** Looks if the answers have come, without waiting. */
    boolean hasArrived() {
        if (!isPosted) {
            return false;
        }
        if (!hasArrived && !isAwaited) {
            try {
                hasArrived = batch.poll();
            } catch (Throwable lost) {
                failure = lost;
                hasArrived = true;
            }
        }
        return hasArrived;
    }

    /**
     * Hands the answers to the operations. Returns true if the batch may be used again. After an error, another call
     * goes on where this one has ended.
     */
    boolean hand(Consumer<Operation<?>> next) {
        isAwaited = false;
        for (; handed < count; handed++) {
            Operation<?> operation = operations[handed];
            if (taken == handed) {
                take(operation, positions[handed]);
                taken++;
            }
            next.accept(operation);
        }
        Arrays.fill(operations, 0, count, null);
        count = 0;
        isPosted = false;
        return failure == null;
    }

    private void take(Operation<?> operation, long position) {
        if (operation.step() == Operation.Step.AGAIN) { // otherwise its verbs were not added
            if (failure == null) {
                operation.arrived(batch, position);
            } else {
                operation.fail(failure);
            }
        }
    }

    /** Gives the buffer back. To be called when nothing is under way, or after a failure. */
    void close() {
        try {
            batch.complete(); // if posting failed, what was posted before may still use the buffer
        } catch (RuntimeException known) {
            failure = known; // the operations have been told
        } finally {
            batch.close();
        }
    }
}
