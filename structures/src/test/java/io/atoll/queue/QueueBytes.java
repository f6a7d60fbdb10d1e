package io.atoll.queue;

/** The memory that queues take, for tests of other packages. */
public final class QueueBytes {

    private QueueBytes() {}

    /** Returns the bytes that a queue takes at the rank that hosts it. */
    public static long atHome(int maxSize, long capacity, long elementBytes) {
        return QueueBlock.bytesAtHome(maxSize, capacity, new Slot(elementBytes));
    }
}
