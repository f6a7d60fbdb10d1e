package io.atoll.fabric.rdma;

import io.atoll.fabric.link.OutstandingRequests;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The registered memory of a thread: what it keeps, and the whole buffer that it holds while an operation needs one.
 * The memory returns to the pools once nothing refers to the thread's {@link RdmaThreadContext} any more. By then no
 * verb of the thread uses the memory.
 */
final class ThreadMemory implements Runnable {

    private static final Cleaner CLEANER = Cleaner.create();
    private static final int MOST_ATTEMPTS = 100;

    private final RegisteredBuffers pool;
    private final Registered kept;
    private final List<OutstandingRequests> pending = Stream.generate(OutstandingRequests::new).limit(4).toList();
    private final RegisteredBuffers whole;
    private @Nullable Registered lent;

    ThreadMemory(RegisteredBuffers pool, RegisteredBuffers whole) {
        this.pool = pool;
        this.whole = whole;
        this.kept = pool.take();
    }

    /**
     * Gives the memory back once the user is no longer reachable.
     *
     * @param user must not be reachable from this object
     */
    void returnAfter(Object user) {
        CLEANER.register(user, this);
    }

    Registered kept() {
        return kept;
    }

    /** Returns the record of one user's verbs that use the memory. */
    OutstandingRequests pending(int user) {
        return pending.get(user);
    }

    /** Returns a whole buffer with arbitrary contents. May wait in line for it. */
    Registered lend() {
        Registered buffer = whole.take();
        lent = buffer;
        return buffer;
    }

    /** Gives the whole buffer back. No verb may use it any more. */
    void giveBackLent() {
        Registered buffer = lent;
        if (buffer != null) {
            lent = null;
            whole.giveBack(buffer);
        }
    }

    /** Returns the memory to the pools after the thread has ended. */
    @Override
    public void run() {
        settle();
        giveBackLent();
        pool.giveBack(kept);
    }

    /**
     * Waits until no verb uses the memory. An error breaks the lane that this thread was waiting for. So the next
     * attempt does not wait for that lane. If errors keep coming, the memory stays lost: words may still arrive in it.
     */
    private void settle() {
        for (int attempt = 1;; attempt++) {
            try {
                pending.forEach(OutstandingRequests::settle);
                return;
            } catch (Error error) {
                if (attempt == MOST_ATTEMPTS) {
                    throw error;
                }
            }
        }
    }
}
