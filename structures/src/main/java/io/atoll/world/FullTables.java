package io.atoll.world;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What this process has read of one rank's tables that have no free entry. Their entries never change, so they are read
 * once. Any thread may use it.
 * <pre>
 *   | full | --> | full | --> | full | --> | next to be read | --> ...
 * </pre>
 */
final class FullTables {

    private final long incarnation;
    private final Map<String, Long> entries = new ConcurrentHashMap<>();
    private volatile long next;

    /**
     * @param incarnation of the segment's owner, read before the tables: a segment that is lost comes back with another
     * one
     * @param first the table that is read first
     */
    FullTables(long incarnation, long first) {
        this.incarnation = incarnation;
        this.next = first;
    }

    boolean isOf(long presentIncarnation) {
        return incarnation == presentIncarnation;
    }

    /**
     * Returns the first table that is not known to be full. The caller calls this before {@link #entry}. A name that
     * {@code entry} does not find is in this table, or in one after it.
     */
    long next() {
        return next;
    }

    /** Returns the offset of the entry of that name, or null if no full table has it. */
    @Nullable Long entry(String name) {
        return entries.get(name);
    }

    /** Notes a table that is full, if no other thread has noted it. */
    synchronized void add(long table, Map<String, Long> entriesByName, long following) {
        if (table == next) {
            entries.putAll(entriesByName);
            next = following;
        }
    }
}
