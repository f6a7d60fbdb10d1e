package io.atoll.spring.integration;

import io.atoll.lock.LockTable;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * The locks of a table as a lock registry of Spring Integration. Aggregators, other handlers of message groups and
 * leader initiators take such a registry. A thread holds a lock, and may acquire it again. A lock has no time limit: a
 * holder keeps it until it releases it or dies. Keys share locks. So a thread that holds a lock should not wait for
 * another one that a second thread may hold.
 */
public final class LockTableRegistry implements LockRegistry<Lock> {

    private final LockTable table;

    public LockTableRegistry(LockTable table) {
        this.table = table;
    }

    /**
     * Returns the lock that guards the key.
     *
     * @param key a text, a UUID, a number, a record: any value that has a codec
     * @throws IllegalArgumentException if the key has no codec
     */
    @Override
    public Lock obtain(Object key) {
        return table.asLock(key);
    }

    @Override
    public String toString() {
        return "LockTableRegistry[" + table.name() + "]";
    }
}
