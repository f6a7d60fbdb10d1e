package io.atoll.spring.integration;

import io.atoll.lock.LockTable;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * The locks of a table, for whatever takes a registry of Spring Integration: aggregators and other handlers of message groups, leader initiators. A lock is held by a thread, which may acquire it again. It
 * is not bound to a time: a holder has it until it releases it, or dies. Keys share locks, so a thread should not wait for one that another thread may hold while it has another.
 */
public final class LockTableRegistry implements LockRegistry<Lock> {

    private final LockTable table;

    public LockTableRegistry(LockTable table) {
        this.table = table;
    }

    /**
     * The lock that guards the key.
     *
     * @param key a text, a UUID, a number, a record: whatever has a codec
     * @throws IllegalArgumentException if it has none
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
