package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvCQ;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import org.jspecify.annotations.Nullable;

/**
 * The queue in which the completions of work requests arrive.
 * <pre>
 *   ibv_cq:  0         8         16           24       28    32
 *            +---------+---------+------------+--------+-----+--//--
 *            | context | channel | cq_context | handle | cqe |
 *            +---------+---------+------------+--------+-----+--//--
 * </pre>
 */
@SuppressWarnings("restricted") // The struct is reached through the pointer that C returned.
public final class CompletionQueue extends IbvCQ {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            ADDRESS.withName("context"), //
            ADDRESS.withName("channel"), //
            ADDRESS.withName("cq_context"), //
            JAVA_INT.withName("handle"), //
            JAVA_INT.withName("cqe")) // completions that it can hold, at least as many as were asked for
            .withName("ibv_cq");

    private final DeviceContext device;
    private final @Nullable CompletionChannel completionChannel;
    private final MemorySegment pointer;

    private CompletionQueue(DeviceContext device, @Nullable CompletionChannel channel, MemorySegment pointer)
            throws IOException {
        super(device, channel, pointer.get(JAVA_INT, Offsets.of(LAYOUT, "handle")));
        this.device = device;
        this.completionChannel = channel;
        this.pointer = pointer;
        this.cqe = pointer.get(JAVA_INT, Offsets.of(LAYOUT, "cqe"));
    }

    /** Creates a queue that is only polled. */
    public static CompletionQueue create(DeviceContext device, int completions) throws IOException {
        return create(device, null, completions, 0);
    }

    /**
     * @param channel where the queue announces completions; null if it is only polled
     * @param vector the number of the device's interrupt, below its {@link DeviceContext#getNumCompVectors}
     */
    static CompletionQueue create(DeviceContext device, @Nullable CompletionChannel channel, int completions,
            int vector) throws IOException {
        MemorySegment channelPointer = channel == null ? MemorySegment.NULL : channel.addQueue();
        boolean created = false;
        try {
            MemorySegment pointer = device.library().createCompletionQueue.pointer(device.pointer(), completions,
                    MemorySegment.NULL, channelPointer, vector);
            created = true;
            return new CompletionQueue(device, channel, pointer.reinterpret(LAYOUT.byteSize()));
        } finally {
            if (!created && channel != null) {
                channel.removeQueue();
            }
        }
    }

    /** Returns the operations of the queue's device. */
    public Operations operations() {
        return device.operations();
    }

    public MemorySegment pointer() throws IOException {
        if (!isOpen()) {
            throw new IOException("the completion queue was destroyed");
        }
        return pointer;
    }

    /** Asks for an announcement of the next completion. */
    public void requestNotification(boolean solicitedOnly) throws IOException {
        int error = operations().requestNotification(pointer(), solicitedOnly);
        if (error != 0) {
            throw new IOException("the device refuses to announce completions: errno=" + error);
        }
    }

    /** Acknowledges announcements. The queue cannot be destroyed until all are acknowledged. */
    @Override
    public int ackEvents(int announcements) throws IOException {
        device.library().acknowledgeCompletionEvents.run(pointer(), announcements);
        return 0;
    }

    /** Returns 0 or the error number. A queue that is still in use stays as it is. */
    @Override
    public int destroyCQ() throws IOException {
        int error = device.library().destroyCompletionQueue.error(pointer());
        if (error == 0) {
            close();
            if (completionChannel != null) {
                completionChannel.removeQueue();
            }
        }
        return error;
    }
}
