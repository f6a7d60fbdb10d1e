package io.atoll.lock;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * One lock as it lies in its owner's segment (ALock, algorithm 1): a cache line.
 * <pre>
 *       0          8          16         24         32             40           48         56        64
 *       +----------+----------+----------+----------+--------------+------------+----------+---------+
 *       |  remote  |  local   |  victim  |  token   | acknowledged | recoveries | restarts | repairs |
 *       |  tail    |  tail    |          |          |              |            |          |         |
 *       +----------+----------+----------+----------+--------------+------------+----------+---------+
 * </pre>
 * Only the fabric's atomics change the remote tail, and only the owner's CPU changes the local tail. So the two kinds
 * of atomics need not be atomic with each other. The leaders of both cohorts write the victim, {@link #REMOTE} or
 * {@link #LOCAL}, by plain writes. The holder writes token and acknowledged. A rank that repairs the remote cohort's
 * queue writes recoveries and repairs. The owner's process writes restarts, when it opens the table.
 *
 * <p>The token is that of the last acquisition that was released. It may also be that of an owner's thread that has
 * found the lock free and holds it. Recoveries count the remote holders that may have died, restarts those of the
 * owner. Acknowledged is the number of these deaths that later holders know of.
 */
final class LockLine {

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("remoteTail"), //
            Layouts.word("localTail"), //
            Layouts.word("victim"), //
            Layouts.word("token"), //
            Layouts.word("acknowledged"), //
            Layouts.word("recoveries"), //
            Layouts.word("restarts"), //
            Layouts.word("repairs"));

    public static final long REMOTE_TAIL = Layouts.offsetOf(LAYOUT, "remoteTail");
    public static final long LOCAL_TAIL = Layouts.offsetOf(LAYOUT, "localTail");
    public static final long VICTIM = Layouts.offsetOf(LAYOUT, "victim");
    public static final long TOKEN = Layouts.offsetOf(LAYOUT, "token");
    public static final long RECOVERIES = Layouts.offsetOf(LAYOUT, "recoveries");
    public static final long RESTARTS = Layouts.offsetOf(LAYOUT, "restarts");
    public static final long ACKNOWLEDGED = Layouts.offsetOf(LAYOUT, "acknowledged");
    public static final long REPAIRS = Layouts.offsetOf(LAYOUT, "repairs");
    public static final long SIZE = LAYOUT.byteSize();

    public static final long REMOTE = 0;
    public static final long LOCAL = 1;

    private LockLine() {}
}
