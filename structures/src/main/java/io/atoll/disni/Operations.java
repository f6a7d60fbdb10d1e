package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * The operations on the data path. Libibverbs has no symbols for them. They are inline functions of {@code verbs.h}.
 * These call the device's driver through a table of function pointers in the device's context:
 * <pre>
 *   ibv_context_ops:  0       88        96            104        200         208         216        256
 *                     +--//---+---------+-------------+----//----+-----------+-----------+----//----+
 *                     |       | poll_cq | req_notify_ |          | post_send | post_recv |          |
 *                     |       |         | cq          |          |           |           |          |
 *                     +--//---+---------+-------------+----//----+-----------+-----------+----//----+
 * </pre>
 * None of these methods allocates, or takes a lock of its own. Several threads may call them at once, since the driver
 * locks each queue.
 */
@SuppressWarnings("restricted") // Calling C is what this class is for.
final class Operations {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Offsets.unused(88), //
            ADDRESS.withName("poll_cq"), //
            ADDRESS.withName("req_notify_cq"), //
            Offsets.unused(96), //
            ADDRESS.withName("post_send"), //
            ADDRESS.withName("post_recv"), //
            Offsets.unused(40)).withName("ibv_context_ops");

    private static final Linker LINKER = Linker.nativeLinker();

    // Constants that take the function's address as their first argument. So the JIT compiles one call for every
    // device.
    private static final MethodHandle POST = LINKER
            .downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS));
    // Critical: polling never blocks, and a waiting thread repeats it over and over.
    private static final MethodHandle POLL = LINKER
            .downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS), Linker.Option.critical(false));
    private static final MethodHandle REQUEST_NOTIFICATION = LINKER
            .downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));

    private final MemorySegment poll;
    private final MemorySegment requestNotification;
    private final MemorySegment postSend;
    private final MemorySegment postReceive;

    Operations(MemorySegment table) {
        poll = table.get(ADDRESS, Offsets.of(LAYOUT, "poll_cq"));
        requestNotification = table.get(ADDRESS, Offsets.of(LAYOUT, "req_notify_cq"));
        postSend = table.get(ADDRESS, Offsets.of(LAYOUT, "post_send"));
        postReceive = table.get(ADDRESS, Offsets.of(LAYOUT, "post_recv"));
    }

    /**
     * Posts a chain of work requests.
     *
     * @param rejected receives the pointer to the first request that was not taken
     * @return 0 or the error number
     */
    public int postSend(MemorySegment queuePair, MemorySegment first, MemorySegment rejected) {
        return post(postSend, queuePair, first, rejected);
    }

    /** As {@link #postSend}, but posts buffers to receive into. */
    public int postReceive(MemorySegment queuePair, MemorySegment first, MemorySegment rejected) {
        return post(postReceive, queuePair, first, rejected);
    }

    private static int post(MemorySegment function, MemorySegment queuePair, MemorySegment first,
            MemorySegment rejected) {
        try {
            return (int) POST.invokeExact(function, queuePair, first, rejected);
        } catch (Throwable impossible) {
            throw new AssertionError("C functions throw nothing", impossible);
        }
    }

    /**
     * Moves at most {@code most} completions to the memory. Returns how many, or a negative number if the queue is
     * broken.
     */
    public int poll(MemorySegment completionQueue, int most, MemorySegment completions) {
        try {
            return (int) POLL.invokeExact(poll, completionQueue, most, completions);
        } catch (Throwable impossible) {
            throw new AssertionError("C functions throw nothing", impossible);
        }
    }

    /** Asks for an event at the next completion. Returns 0 or the error number. */
    public int requestNotification(MemorySegment completionQueue, boolean solicitedOnly) {
        try {
            return (int) REQUEST_NOTIFICATION.invokeExact(requestNotification, completionQueue, solicitedOnly ? 1 : 0);
        } catch (Throwable impossible) {
            throw new AssertionError("C functions throw nothing", impossible);
        }
    }
}
