package io.atoll.lock;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * Counts of one lock: how often the threads of one rank have wanted it and had it. It is a cache line in that rank's
 * own segment.
 * <pre>
 *       0              8        16               24      32         40         48           56       64
 *       +--------------+--------+----------------+-------+----------+----------+------------+--------+
 *       | acquisitions | passes | reacquisitions | waits |  waited  | longest  | recoveries | unused |
 *       +--------------+--------+----------------+-------+----------+----------+------------+--------+
 * </pre>
 * Only the holder writes it, with plain writes. Waited and longest are nanoseconds.
 */
public final class CountLine {

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("acquisitions"), //
            Layouts.word("passes"), //
            Layouts.word("reacquisitions"), //
            Layouts.word("waits"), //
            Layouts.word("waited"), //
            Layouts.word("longest"), //
            Layouts.word("recoveries"), //
            Layouts.word("unused"));

    public static final long ACQUISITIONS = Layouts.offsetOf(LAYOUT, "acquisitions");
    public static final long PASSES = Layouts.offsetOf(LAYOUT, "passes");
    public static final long REACQUISITIONS = Layouts.offsetOf(LAYOUT, "reacquisitions");
    public static final long WAITS = Layouts.offsetOf(LAYOUT, "waits");
    public static final long WAITED = Layouts.offsetOf(LAYOUT, "waited");
    public static final long LONGEST = Layouts.offsetOf(LAYOUT, "longest");
    public static final long RECOVERIES = Layouts.offsetOf(LAYOUT, "recoveries");
    public static final long SIZE = LAYOUT.byteSize();

    private CountLine() {}
}
