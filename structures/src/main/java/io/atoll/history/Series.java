package io.atoll.history;

/**
 * What a rank writes of itself once a second. The order is part of the layout of segments. What a rank has no part of is
 * 0: epochs and locks that nobody has used, verbs that nobody counts.
 */
public enum Series {

    /** Of the segment's heap: what is not free. */
    HEAP_USED_BYTES("heap-used-bytes", Unit.BYTES, false),
    /** Objects in it that were handed out and not freed. Counted in rounds, which take some seconds in a large heap. */
    HEAP_OBJECT_BYTES("heap-object-bytes", Unit.BYTES, false),
    /** Runs that were reserved and are not in use yet. */
    HEAP_PENDING_BYTES("heap-pending-bytes", Unit.BYTES, false),
    /** Runs that nobody finds any more, and that some may be using still. */
    RETIRED_BYTES("retired-bytes", Unit.BYTES, false),
    /** Objects that this rank has retired, of whatever segment, and that are not freed yet. */
    LIMBO_OBJECTS("limbo-objects", Unit.COUNT, false), LIMBO_BYTES("limbo-bytes", Unit.BYTES, false),
    /** Objects that this rank has freed. */
    FREED_OBJECTS("freed-objects", Unit.COUNT, true),
    /** Objects that this rank has retired. */
    RETIRED_OBJECTS("retired-objects", Unit.COUNT, true),
    /** The epoch, as this rank knows it. */
    EPOCH("epoch", Unit.COUNT, true),
    /** How long this rank's oldest pin has been seen by this history. */
    OLDEST_PIN_MILLIS("oldest-pin-millis", Unit.MILLIS, false),
    /** Threads of this process that wait for other ranks. */
    WAITS("waits", Unit.COUNT, false), LONGEST_WAIT_MILLIS("longest-wait-millis", Unit.MILLIS, false),
    /**
     * Acquisitions of locks by this rank's threads, in tables that are counted. Summed in rounds, a second for each 512
     * locks; a table is found within ten seconds.
     */
    LOCK_ACQUISITIONS("lock-acquisitions", Unit.COUNT, true),
    /** Those of them that had to wait. */
    LOCK_WAITS("lock-waits", Unit.COUNT, true), LOCK_WAITED_MILLIS("lock-waited-millis", Unit.MILLIS, true),
    /** Verbs of this process on memory of other ranks, where they are counted. */
    REMOTE_READS("remote-reads", Unit.COUNT, true), REMOTE_WRITES("remote-writes", Unit.COUNT,
            true), REMOTE_ATOMICS("remote-atomics", Unit.COUNT, true),
    /** Ranks that this one reaches, itself included. */
    RANKS_JOINED("ranks-joined", Unit.COUNT, false),
    /** What this process has repaired of dead ranks. */
    REPAIRS("repairs", Unit.COUNT, true),
    /** Processor time of this process, of all its threads. */
    PROCESS_CPU_MILLIS("process-cpu-millis", Unit.MILLIS, true),
    /** Memory of this process that is in RAM, segments that it has mapped included. Looked at every ten seconds. */
    RESIDENT_BYTES("resident-bytes", Unit.BYTES, false),
    /** Of the heap of the Java virtual machine, in use or not collected yet. */
    JAVA_HEAP_BYTES("java-heap-bytes", Unit.BYTES, false),
    /** Operations of this process on all structures, see {@link io.atoll.world.Operations}. */
    OPERATIONS("operations", Unit.COUNT, true);

    /** What a series is measured in. */
    public enum Unit {
        BYTES, COUNT, NANOS, MILLIS, PERCENT;

        /** As an interface for others names it, such as {@code bytes}. */
        public String key() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    private final String key;
    private final Unit unit;
    private final boolean isTotal;

    Series(String key, Unit unit, boolean isTotal) {
        this.key = key;
        this.unit = unit;
        this.isTotal = isTotal;
    }

    /** As an interface for others names it, such as {@code heap-used-bytes}. */
    public String key() {
        return key;
    }

    public Unit unit() {
        return unit;
    }

    /**
     * Returns whether it is a count since ever, of which the rate is of interest. Those of verbs, operations, processor
     * time and repairs begin at 0
     * with the process, the others with the segment.
     */
    public boolean isTotal() {
        return isTotal;
    }
}
