package io.atoll.fabric.rdma;

import io.atoll.fabric.link.Pending;
import java.lang.ref.Cleaner;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The registered memory of a thread: what it keeps, and the whole buffer that it has while an operation needs one. It comes back to the pools when nothing refers to the thread's caller any more,
 * and nothing that the thread has posted uses it.
 */
final class CallerMemory implements Runnable {

    private static final Cleaner CLEANER = Cleaner.create();
    private static final int MOST_ATTEMPTS = 100;

    private final RegisteredBuffers pool;
    private final Registered kept;
    private final List<Pending> pending = Stream.generate(Pending::new).limit(4).toList();
    private final RegisteredBuffers whole;
    private @Nullable Registered lent;

    CallerMemory(RegisteredBuffers pool, RegisteredBuffers whole) {
        this.pool = pool;
        this.whole = whole;
        this.kept = pool.take();
    }

    /** @param user who is watched for being reachable; must not be reachable from here */
    void returnAfter(Object user) {
        CLEANER.register(user, this);
    }

    Registered kept() {
        return kept;
    }

    /** What uses the memory. */
    Pending pending(int user) {
        return pending.get(user);
    }

    /** A whole buffer with arbitrary contents. May wait for it, in line. */
    Registered lend() {
        Registered buffer = whole.take();
        lent = buffer;
        return buffer;
    }

    /** Nothing may use the buffer any more. */
    void giveBackLent() {
        Registered buffer = lent;
        if (buffer != null) {
            lent = null;
            whole.giveBack(buffer);
        }
    }

    /** The thread has ended. */
    @Override
    public void run() {
        settle();
        giveBackLent();
        pool.giveBack(kept);
    }

    /**
     * An error breaks the lane that was waited for, so the next attempt waits for it no more. Where errors do not end the
     * memory stays lost: something may still arrive there.
     */
    private void settle() {
        for (int attempt = 1;; attempt++) {
            try {
                pending.forEach(Pending::settle);
                return;
            } catch (Error error) {
                if (attempt == MOST_ATTEMPTS) {
                    throw error;
                }
            }
        }
    }
}
