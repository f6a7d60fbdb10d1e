package io.atoll.lock;

import io.atoll.memory.LocalMemory;
import org.jspecify.annotations.Nullable;

/** Locks as one process uses them. It asks if a lock is its rank's own, as {@link OpenLockTable} does. */
final class ProcessLocks {

    private final Descriptors descriptors;
    private final LockProtocol protocol;
    private final @Nullable LocalFastPath local;
    private final LocalMemory own;

    ProcessLocks(Descriptors descriptors, LockProtocol protocol) {
        this.descriptors = descriptors;
        this.protocol = protocol;
        this.local = protocol.localFastPath();
        this.own = descriptors.own();
    }

    /** As {@link LockProtocol#acquire}. */
    @Nullable Hold acquire(long index, int owner, long line, WaitLimit limit) {
        return local != null && owner == descriptors.rank()
                ? local.acquire(own, index, offset(owner, line) / LockLine.SIZE, limit)
                : protocol.acquire(index, owner, line, limit);
    }

    /** Returns the hold by which a thread of this process has the lock; null if none has it. */
    @Nullable Hold find(long index, int owner, long line) {
        return descriptors.find(Descriptor.lock(descriptors.parts().born(owner), index),
                (descriptor, phase) -> local == null
                        ? null
                        : local.restore(own, index, offset(owner, line), descriptor, phase));
    }

    /** As {@link LocalFastPath#restart}, for a line among this rank's. */
    void restart(long line) {
        if (local != null) {
            local.restart(offset(descriptors.rank(), line));
        }
    }

    /** Releases what threads of this process could not release. */
    void sweep() {
        descriptors.sweep();
        if (local != null) {
            local.sweep();
        }
    }

    private long offset(int owner, long line) {
        return descriptors.parts().lines(owner) + line;
    }
}
