package io.atoll.history;

/**
 * The figures that a rank writes of itself once a second. Their order is part of the layout of segments. A figure is 0
 * if the rank has no part of it. Such are epochs and locks that it has not used, and verbs that it does not count.
 */
public enum Series {

    /** The bytes of the segment's heap that are not free. */
    HEAP_USED_BYTES("heap-used-bytes", Unit.BYTES, false),
    /**
     * Objects in the heap that were handed out and not freed. Counted in rounds, which take some seconds in a large
     * heap.
     */
    HEAP_OBJECT_BYTES("heap-object-bytes", Unit.BYTES, false),
    /** Runs that were reserved and are not in use yet. */
    HEAP_PENDING_BYTES("heap-pending-bytes", Unit.BYTES, false),
    /** Runs that no thread finds any more, and that some threads may still be using. */
    RETIRED_BYTES("retired-bytes", Unit.BYTES, false),
    /** Objects that this rank has retired, in any segment, and that are not freed yet. */
    LIMBO_OBJECTS("limbo-objects", Unit.COUNT, false), LIMBO_BYTES("limbo-bytes", Unit.BYTES, false),
    /** Objects that this rank has freed. */
    FREED_OBJECTS("freed-objects", Unit.COUNT, true),
    /** Objects that this rank has retired. */
    RETIRED_OBJECTS("retired-objects", Unit.COUNT, true),
    /** The epoch, as this rank knows it. */
    EPOCH("epoch", Unit.COUNT, true),
    /** For how long this history has seen this rank's oldest pin. */
    OLDEST_PIN_MILLIS("oldest-pin-millis", Unit.MILLIS, false),
    /** Threads of this process that wait for other ranks. */
    WAITS("waits", Unit.COUNT, false), LONGEST_WAIT_MILLIS("longest-wait-millis", Unit.MILLIS, false),
    /**
     * Acquisitions of locks by this rank's threads, in tables that are counted. Summed in rounds, a second for each 512
     * locks; a table is found within ten seconds.
     */
    LOCK_ACQUISITIONS("lock-acquisitions", Unit.COUNT, true),
    /** The acquisitions that had to wait. */
    LOCK_WAITS("lock-waits", Unit.COUNT, true), LOCK_WAITED_MILLIS("lock-waited-millis", Unit.MILLIS, true),
    /** Verbs of this process on memory of other ranks, if they are counted. */
    REMOTE_READS("remote-reads", Unit.COUNT, true), REMOTE_WRITES("remote-writes", Unit.COUNT,
            true), REMOTE_ATOMICS("remote-atomics", Unit.COUNT, true),
    /** Ranks that this one reaches, including itself. */
    RANKS_JOINED("ranks-joined", Unit.COUNT, false),
    /** Repairs by this process of what dead ranks have left. */
    REPAIRS("repairs", Unit.COUNT, true),
    /** Processor time of this process, of all its threads. */
    PROCESS_CPU_MILLIS("process-cpu-millis", Unit.MILLIS, true),
    /**
     * Memory of this process that is in RAM, including the segments that it has mapped. Looked at every ten seconds.
     */
    RESIDENT_BYTES("resident-bytes", Unit.BYTES, false),
    /** Bytes of the heap of the Java virtual machine, in use or not collected yet. */
    JAVA_HEAP_BYTES("java-heap-bytes", Unit.BYTES, false),
    /** Operations of this process on all structures, see {@link io.atoll.world.Operations}. */
    OPERATIONS("operations", Unit.COUNT, true);

    /** The unit of a series. */
    public enum Unit {
        BYTES, COUNT, NANOS, MILLIS, PERCENT;

        /** Returns the name in interfaces for other programs, such as {@code bytes}. */
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

    /** Returns the name in interfaces for other programs, such as {@code heap-used-bytes}. */
    public String key() {
        return key;
    }

    public Unit unit() {
        return unit;
    }

    /**
     * Returns true if it is a count since the beginning, of which the rate is of interest. Counts of verbs, operations,
     * processor time and repairs begin at 0 with the process, the others with the segment.
     */
    public boolean isTotal() {
        return isTotal;
    }
}
