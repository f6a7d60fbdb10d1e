package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The channel by which completion queues announce completions. It serves threads that sleep instead of polling.
 * <pre>
 *   ibv_comp_channel:  0         8      12       16
 *                      +---------+------+--------+
 *                      | context |  fd  | refcnt |
 *                      +---------+------+--------+
 * </pre>
 */
@SuppressWarnings("restricted") // The struct is reached through the pointer that C returned.
final class CompletionChannel extends IbvCompChannel {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            ADDRESS.withName("context"), //
            JAVA_INT.withName("fd"), //
            JAVA_INT.withName("refcnt")) // the number of completion queues of this channel
            .withName("ibv_comp_channel");

    private final DeviceContext device;
    private final MemorySegment pointer;
    private int queues; // guarded by this
    private boolean destroyed; // guarded by this; the C side's channel waits for its last queue

    private CompletionChannel(DeviceContext device, MemorySegment pointer) throws IOException {
        super(pointer.get(JAVA_INT, Offsets.of(LAYOUT, "fd")), device);
        this.device = device;
        this.pointer = pointer;
    }

    static CompletionChannel create(DeviceContext device) throws IOException {
        MemorySegment pointer = device.library().createCompletionChannel.pointer(device.pointer());
        return new CompletionChannel(device, pointer.reinterpret(LAYOUT.byteSize()));
    }

    /**
     * Waits until a queue of this channel announces a completion, and takes the announcement. The caller must
     * acknowledge it to the queue.
     *
     * @param queue the queue whose announcement is expected; a channel of several queues does not tell them apart
     * @param timeoutMillis -1 to wait for ever
     * @return false if the time is over
     */
    @Override
    public boolean getCqEvent(IbvCQ queue, int timeoutMillis) throws IOException {
        if (!isOpen()) {
            throw new IOException("the completion channel was destroyed");
        }
        if (!Readiness.await(getFd(), timeoutMillis)) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            device.library().getCompletionEvent.check(pointer, arena.allocate(ADDRESS), arena.allocate(ADDRESS));
            return true;
        }
    }

    synchronized MemorySegment addQueue() throws IOException {
        if (!isOpen()) {
            throw new IOException("the completion channel was destroyed");
        }
        queues++;
        return pointer;
    }

    synchronized void removeQueue() {
        queues--;
        if (destroyed && queues == 0) {
            device.library().destroyCompletionChannel.error(pointer);
        }
    }

    /**
     * Returns 0 or the error number. The C side refuses while a queue is left, but DiSNI's own providers close the
     * channel first. In that case it is destroyed with its last queue.
     */
    @Override
    public synchronized int destroyCompChannel() throws IOException {
        if (!isOpen()) {
            throw new IOException("the completion channel was destroyed");
        }
        close();
        destroyed = true;
        return queues == 0 ? device.library().destroyCompletionChannel.error(pointer) : 0;
    }
}
