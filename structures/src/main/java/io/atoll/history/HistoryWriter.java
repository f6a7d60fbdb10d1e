package io.atoll.history;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;

/**
 * Writes a history into the own segment, and goes on with one that it finds there. One thread at a time uses it. See
 * {@link HistoryBlock} for the protocol.
 */
final class HistoryWriter {

    private static final int SERIES = Series.values().length;

    private final HistoryBlock block;
    private final LocalMemory memory;
    private final long at; // the offset of the block
    private long points; // all points ever written
    private long events;

    private HistoryWriter(HistoryBlock block, LocalMemory memory, long at) {
        this.block = block;
        this.memory = memory;
        this.at = at;
        this.points = memory.getAcquire(at + HistoryBlock.POINT_COUNT);
        this.events = memory.getAcquire(at + HistoryBlock.EVENT_COUNT);
    }

    /** Returns true if there is a history that can be continued. */
    static boolean isBegun(HistoryBlock block, LocalMemory memory, long at) {
        return memory.getAcquire(at + HistoryBlock.MARK) == HistoryBlock.MARK_VALUE
                && memory.getAcquire(at + HistoryBlock.KINDS) == HistoryBlock.KINDS_VALUE
                && memory.getAcquire(at + HistoryBlock.POINT_PLACES) == block.points()
                && memory.getAcquire(at + HistoryBlock.EVENT_PLACES) == block.events()
                && memory.getAcquire(at + HistoryBlock.STRUCTURE_PLACES) == block.structures()
                && memory.getAcquire(at + HistoryBlock.POINT_COUNT) >= 0
                && memory.getAcquire(at + HistoryBlock.EVENT_COUNT) >= 0;
    }

    /**
     * Makes the block an empty history.
     *
     * @param born a number that no history in that place has had before
     */
    static HistoryWriter begin(HistoryBlock block, LocalMemory memory, long at, long born) {
        memory.setRelease(at + HistoryBlock.MARK, 0);
        // Before everything else: a reader of the former contents finds out by its second reading.
        memory.setRelease(at + HistoryBlock.BORN, born);
        memory.setRelease(at + HistoryBlock.IDENTITY_COUNT, 0);
        memory.setRelease(at + HistoryBlock.POINT_COUNT, 0);
        memory.setRelease(at + HistoryBlock.EVENT_COUNT, 0);
        memory.setRelease(at + HistoryBlock.WRITTEN_MILLIS, 0);
        memory.setRelease(at + HistoryBlock.DROPPED, 0);
        memory.setRelease(at + HistoryBlock.OPERATION_COUNT, 0);
        memory.setRelease(at + HistoryBlock.KINDS, HistoryBlock.KINDS_VALUE);
        memory.setRelease(at + HistoryBlock.POINT_PLACES, block.points());
        memory.setRelease(at + HistoryBlock.EVENT_PLACES, block.events());
        memory.setRelease(at + HistoryBlock.STRUCTURE_PLACES, block.structures());
        memory.setRelease(at + HistoryBlock.MARK, HistoryBlock.MARK_VALUE);
        return new HistoryWriter(block, memory, at);
    }

    /** Goes on with the history that {@linkplain #isBegun is there}. */
    static HistoryWriter goOn(HistoryBlock block, LocalMemory memory, long at) {
        return new HistoryWriter(block, memory, at);
    }

    /** Sets which process writes from now on. */
    void identify(RankHistory.Identity identity) {
        // If a process died while it wrote an identity, the count is odd already.
        long count = memory.getAcquire(at + HistoryBlock.IDENTITY_COUNT) | 1;
        memory.setRelease(at + HistoryBlock.IDENTITY_COUNT, count);
        memory.setRelease(at + HistoryBlock.PID, identity.pid());
        memory.setRelease(at + HistoryBlock.STARTED_MILLIS, identity.startedMillis());
        byte[] host = Words.fitting(identity.host(), HistoryBlock.MAXIMUM_HOST_BYTES);
        Words.store(memory, at + HistoryBlock.HOST, host, HistoryBlock.MAXIMUM_HOST_BYTES / Long.BYTES);
        memory.setRelease(at + HistoryBlock.HOST_BYTES, host.length);
        byte[] version = Words.fitting(identity.version(), HistoryBlock.MAXIMUM_VERSION_BYTES);
        Words.store(memory, at + HistoryBlock.VERSION, version, HistoryBlock.MAXIMUM_VERSION_BYTES / Long.BYTES);
        memory.setRelease(at + HistoryBlock.VERSION_BYTES, version.length);
        // (1) release: pairs with the reading of the count before that of the identity, (2) of Reading.
        memory.setRelease(at + HistoryBlock.IDENTITY_COUNT, count + 1);
    }

    /** Writes the next point. Allocates nothing. */
    void point(long atMillis, long[] values) {
        long place = at + block.point(points);
        // (3) releases: a reader that sees one of these words sees the count that was stored before, by its second
        // reading (4). So it knows that the place is being written over.
        memory.setRelease(place + HistoryBlock.POINT_AT_MILLIS, atMillis);
        for (int series = 0; series < SERIES; series++) {
            memory.setRelease(place + HistoryBlock.VALUES + series * Layouts.WORD, values[series]);
        }
        memory.setRelease(at + HistoryBlock.WRITTEN_MILLIS, atMillis);
        points++;
        // (5) release: a reader that sees the count sees the words before it; pairs with the first reading (6).
        memory.setRelease(at + HistoryBlock.POINT_COUNT, points);
    }

    /**
     * Writes the next event.
     *
     * @param text of at most {@link Event#MAXIMUM_TEXT_BYTES} bytes
     */
    void event(long atMillis, Event.Kind kind, int subject, byte[] text) {
        long place = at + block.event(events);
        // (3) as for points.
        memory.setRelease(place + HistoryBlock.SEQUENCE, events);
        memory.setRelease(place + HistoryBlock.EVENT_AT_MILLIS, atMillis);
        memory.setRelease(place + HistoryBlock.KIND, kind.ordinal());
        memory.setRelease(place + HistoryBlock.SUBJECT, subject);
        memory.setRelease(place + HistoryBlock.TEXT_BYTES, text.length);
        Words.store(memory, place + HistoryBlock.TEXT, text, HistoryBlock.TEXT_WORDS);
        events++;
        // (5) as for points.
        memory.setRelease(at + HistoryBlock.EVENT_COUNT, events);
    }

    /** Writes the operations on structures, in the place of those that were written before. Allocates nothing. */
    void operations(OperationStats figures) {
        long place = at + HistoryBlock.HEADER_BYTES;
        // If a process died while it wrote operations, the count is odd already.
        long count = memory.getAcquire(at + HistoryBlock.OPERATION_COUNT) | 1;
        memory.setRelease(at + HistoryBlock.OPERATION_COUNT, count);
        // (3) as for points.
        memory.setRelease(place + HistoryBlock.OPERATIONS_AT_MILLIS, figures.atMillis());
        memory.setRelease(place + HistoryBlock.INTERVAL_MILLIS, figures.intervalMillis());
        memory.setRelease(place + HistoryBlock.LISTED, figures.listed());
        memory.setRelease(place + HistoryBlock.OTHERS_TOTAL, figures.othersTotal());
        memory.setRelease(place + HistoryBlock.OTHERS_LATELY, figures.othersLately());
        for (int index = 0; index < figures.listed(); index++) {
            long structure = place + HistoryBlock.STRUCTURES + index * HistoryBlock.STRUCTURE_BYTES;
            memory.setRelease(structure + HistoryBlock.NAME_HASH, figures.nameHash(index));
            memory.setRelease(structure + HistoryBlock.TOTAL, figures.total(index));
            memory.setRelease(structure + HistoryBlock.LATELY, figures.lately(index));
        }
        // (5) as for points.
        memory.setRelease(at + HistoryBlock.OPERATION_COUNT, count + 1);
    }

    /** Writes how many events were dropped since the process began. */
    void dropped(long count) {
        memory.setRelease(at + HistoryBlock.DROPPED, count);
    }
}
