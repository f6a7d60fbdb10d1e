package io.atoll.history;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The layout of a rank's history in a run of its own segment.
 * <pre>
 *       0         64         128           320          320 + o      320 + o + 200 p    320 + o + 200 p + 128 e
 *       +---------+----------+-------------+------------+------//------+---------//---------+
 *       |  shape  |  counts  |  identity   | operations |  p points    |  e events          |
 *       +---------+----------+-------------+------------+------//------+---------//---------+
 *
 *   shape      0      8       16       24       32                          64
 *              +------+-------+--------+--------+---------------------------+
 *              | mark | kinds | points | events | structures                |
 *              +------+-------+--------+--------+---------------------------+
 *   counts     64     72         80       88       96        104       112          128
 *              +------+----------+--------+--------+---------+---------+------------+
 *              | born | identity | points | events | written | dropped | operations |
 *              +------+----------+--------+--------+---------+---------+------------+
 *   identity   128   136       144          152              216             224                264     320
 *              +-----+---------+------------+----------------+---------------+------------------+-------+
 *              | pid | started | host bytes | host (8 words) | version bytes | version (5 words)|       |
 *              +-----+---------+------------+----------------+---------------+------------------+-------+
 *   operations 320  328        336      344            352             384                  384 + 24 s
 *              +----+----------+--------+--------------+---------------+-----+------//------+
 *              | at | interval | listed | others total | others lately |     | s structures |    o = 64 + 24 s,
 *              +----+----------+--------+--------------+---------------+-----+------//------+    in whole cache lines
 *   structure  0              8       16       24
 *              +--------------+-------+--------+
 *              | hash of name | total | lately |    operations since the process began, and in the interval
 *              +--------------+-------+--------+
 *   point      0         8                                                                         200
 *              +---------+-------------------------------------------------------------------------+
 *              | at      | a word for each series                                                  |
 *              +---------+-------------------------------------------------------------------------+
 *   event      0          8     16     24        32           40                                   128
 *              +----------+-----+------+---------+------------+------------------------------------+
 *              | sequence | at  | kind | subject | text bytes | text (11 words)                    |
 *              +----------+-----+------+---------+------------+------------------------------------+
 * </pre>
 *
 * <p>Both rings are filled from their beginnings, and then written over: the n-th point ever, from 0, is in place n mod
 * p. One thread of the owner writes everything, by stores to its own memory. Others only read it:
 * <ol>
 * <li>The owner stores the words of a point, each as a release.
 * <li>The owner stores the count as a release: every point below it is whole.
 * <li>A reader reads the counts (c), then the part of the ring that it wants, then the counts again (d). It believes
 * the points from d - p + 1 to c - 1. A point below c was whole before the reader began to read it. Suppose that the
 * owner had begun to write over a place. It stored the first word there after the count of the points before (2). So
 * the second reading finds that count or a higher one, and leaves out the place.
 * </ol>
 *
 * <p>So a reader gets at most p - 1 points, and never waits for the owner. A death of the owner at any step spoils
 * nothing.
 *
 * <p>Each process writes the identity once, between two changes of the identity's own count. That count is odd
 * meanwhile, and 0 before the first identity. The rings do not depend on it. A process may die in between: a reader
 * tries again a few times, and then goes on without an identity.
 *
 * <p>The owner writes the operations once a second, with a count of their own. A reader reads them between the counts
 * (c) and (d). It believes them if c is even and d is the same. The list has the structures that were most active
 * lately, the most active first.
 *
 * @param points places of the ring of points
 * @param events places of the ring of events
 * @param structures whose operations are listed, at most
 */
record HistoryBlock(int points, int events, int structures) {

    /** Ten minutes, more events than happen in them while all is well, and all structures of most worlds. */
    static final HistoryBlock OF_RANKS = new HistoryBlock(600, 1_000, 64);

    private static final int HOST_WORDS = 8;
    private static final int VERSION_WORDS = 5;
    static final int TEXT_WORDS = Event.MAXIMUM_TEXT_BYTES / Long.BYTES;

    private static final int SHAPE_WORDS = 5;
    private static final int COUNT_WORDS = 7;
    private static final int OPERATIONS_WORDS = 5;
    private static final int IDENTITY_WORDS = 2 + 1 + HOST_WORDS + 1 + VERSION_WORDS;

    private static final StructLayout HEADER = MemoryLayout.structLayout( //
            Layouts.word("mark"), //
            Layouts.word("kinds"), // a hash of the series and the kinds of events, in their order
            Layouts.word("pointPlaces"), //
            Layouts.word("eventPlaces"), //
            Layouts.word("structurePlaces"), //
            Layouts.padToCacheLine(SHAPE_WORDS * Layouts.WORD), //
            Layouts.word("born"), // another number for each block that was begun
            Layouts.word("identityCount"), // odd while the identity is being written
            Layouts.word("pointCount"), // of all points ever written
            Layouts.word("eventCount"), //
            Layouts.word("writtenMillis"), // when the owner has written last, since 1970
            Layouts.word("dropped"), // events for which there was no room before they were written
            Layouts.word("operationCount"), // odd while operations are being written
            Layouts.padToCacheLine(COUNT_WORDS * Layouts.WORD), //
            Layouts.word("pid"), //
            Layouts.word("startedMillis"), //
            Layouts.word("hostBytes"), //
            Layouts.words("host", HOST_WORDS), // UTF-8
            Layouts.word("versionBytes"), //
            Layouts.words("version", VERSION_WORDS), // UTF-8
            Layouts.padToCacheLine(IDENTITY_WORDS * Layouts.WORD));

    private static final StructLayout OPERATIONS_HEADER = MemoryLayout.structLayout( //
            Layouts.word("atMillis"), // since 1970
            Layouts.word("intervalMillis"), // the time that lately covers; 0 if the process has just begun
            Layouts.word("listed"), //
            Layouts.word("othersTotal"), // of structures that are not listed
            Layouts.word("othersLately"), // of structures that are not listed
            Layouts.padToCacheLine(OPERATIONS_WORDS * Layouts.WORD));

    private static final StructLayout STRUCTURE = MemoryLayout.structLayout( //
            Layouts.word("nameHash"), //
            Layouts.word("total"), //
            Layouts.word("lately"));

    private static final StructLayout POINT = MemoryLayout.structLayout( //
            Layouts.word("atMillis"), // since 1970
            Layouts.words("values", Series.values().length));

    private static final StructLayout EVENT = MemoryLayout.structLayout( //
            Layouts.word("sequence"), //
            Layouts.word("atMillis"), // since 1970
            Layouts.word("kind"), //
            Layouts.word("subject"), // a rank, or -1
            Layouts.word("textBytes"), //
            Layouts.words("text", TEXT_WORDS)); // UTF-8

    static final long MARK_VALUE = 0x3259_524F_5453_4948L; // "HISTORY2" in the order of the bytes

    static final long MARK = Layouts.offsetOf(HEADER, "mark");
    static final long KINDS = Layouts.offsetOf(HEADER, "kinds");
    static final long POINT_PLACES = Layouts.offsetOf(HEADER, "pointPlaces");
    static final long EVENT_PLACES = Layouts.offsetOf(HEADER, "eventPlaces");
    static final long STRUCTURE_PLACES = Layouts.offsetOf(HEADER, "structurePlaces");
    static final long COUNTS = Layouts.offsetOf(HEADER, "born");
    static final long BORN = Layouts.offsetOf(HEADER, "born");
    static final long IDENTITY_COUNT = Layouts.offsetOf(HEADER, "identityCount");
    static final long POINT_COUNT = Layouts.offsetOf(HEADER, "pointCount");
    static final long EVENT_COUNT = Layouts.offsetOf(HEADER, "eventCount");
    static final long WRITTEN_MILLIS = Layouts.offsetOf(HEADER, "writtenMillis");
    static final long DROPPED = Layouts.offsetOf(HEADER, "dropped");
    static final long OPERATION_COUNT = Layouts.offsetOf(HEADER, "operationCount");
    static final long IDENTITY = Layouts.offsetOf(HEADER, "pid");
    static final long PID = Layouts.offsetOf(HEADER, "pid");
    static final long STARTED_MILLIS = Layouts.offsetOf(HEADER, "startedMillis");
    static final long HOST_BYTES = Layouts.offsetOf(HEADER, "hostBytes");
    static final long HOST = Layouts.offsetOf(HEADER, "host");
    static final long VERSION_BYTES = Layouts.offsetOf(HEADER, "versionBytes");
    static final long VERSION = Layouts.offsetOf(HEADER, "version");
    static final long HEADER_BYTES = HEADER.byteSize();

    // Offsets from the beginning of the operations, which follow the header.
    static final long OPERATIONS_AT_MILLIS = Layouts.offsetOf(OPERATIONS_HEADER, "atMillis");
    static final long INTERVAL_MILLIS = Layouts.offsetOf(OPERATIONS_HEADER, "intervalMillis");
    static final long LISTED = Layouts.offsetOf(OPERATIONS_HEADER, "listed");
    static final long OTHERS_TOTAL = Layouts.offsetOf(OPERATIONS_HEADER, "othersTotal");
    static final long OTHERS_LATELY = Layouts.offsetOf(OPERATIONS_HEADER, "othersLately");
    static final long STRUCTURES = OPERATIONS_HEADER.byteSize();

    static final long STRUCTURE_BYTES = STRUCTURE.byteSize();
    static final long NAME_HASH = Layouts.offsetOf(STRUCTURE, "nameHash");
    static final long TOTAL = Layouts.offsetOf(STRUCTURE, "total");
    static final long LATELY = Layouts.offsetOf(STRUCTURE, "lately");

    static final long POINT_BYTES = POINT.byteSize();
    static final long VALUES = Layouts.offsetOf(POINT, "values");
    static final long POINT_AT_MILLIS = Layouts.offsetOf(POINT, "atMillis");

    static final long EVENT_BYTES = Layouts.spaced(EVENT.byteSize());
    static final long SEQUENCE = Layouts.offsetOf(EVENT, "sequence");
    static final long EVENT_AT_MILLIS = Layouts.offsetOf(EVENT, "atMillis");
    static final long KIND = Layouts.offsetOf(EVENT, "kind");
    static final long SUBJECT = Layouts.offsetOf(EVENT, "subject");
    static final long TEXT_BYTES = Layouts.offsetOf(EVENT, "textBytes");
    static final long TEXT = Layouts.offsetOf(EVENT, "text");

    static final int MAXIMUM_HOST_BYTES = HOST_WORDS * Long.BYTES;
    static final int MAXIMUM_VERSION_BYTES = VERSION_WORDS * Long.BYTES;

    /** The value of {@link #KINDS} in histories that this version reads. */
    static final long KINDS_VALUE = (Arrays.stream(Series.values()).map(Series::key).collect(Collectors.joining(","))
            + Arrays.toString(Event.Kind.values())).hashCode();

    /** Returns the bytes of the whole block. */
    long bytes() {
        return firstEvent() + events * EVENT_BYTES;
    }

    /** Returns the bytes of the operations, which begin at {@link #HEADER_BYTES}. */
    long operationsBytes() {
        return Layouts.roundUp(STRUCTURES + structures * STRUCTURE_BYTES, Layouts.CACHE_LINE);
    }

    /** Returns the offset of the points from the beginning of the block. */
    long firstPoint() {
        return HEADER_BYTES + operationsBytes();
    }

    /** Returns the offset of the events from the beginning of the block. */
    long firstEvent() {
        return firstPoint() + points * POINT_BYTES;
    }

    /** Returns the offset of the n-th point from the beginning of the block. */
    long point(long number) {
        return firstPoint() + Math.floorMod(number, points) * POINT_BYTES;
    }

    /** Returns the offset of the n-th event from the beginning of the block. */
    long event(long number) {
        return firstEvent() + Math.floorMod(number, events) * EVENT_BYTES;
    }
}
