package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * One end of a connection: a queue of work requests to send, and one to receive. The connection manager creates it,
 * moves it through its states and destroys it.
 * <pre>
 *   ibv_qp:  0         8            16   24        32        40    48       52       56      60        64
 *            +---------+------------+----+---------+---------+-----+--------+--------+-------+---------+--//--
 *            | context | qp_context | pd | send_cq | recv_cq | srq | handle | qp_num | state | qp_type |
 *            +---------+------------+----+---------+---------+-----+--------+--------+-------+---------+--//--
 * </pre>
 */
@SuppressWarnings("restricted") // The struct is reached through the pointer that C returned.
public final class QueuePair extends IbvQP {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            ADDRESS.withName("context"), //
            ADDRESS.withName("qp_context"), //
            ADDRESS.withName("pd"), //
            ADDRESS.withName("send_cq"), //
            ADDRESS.withName("recv_cq"), //
            ADDRESS.withName("srq"), //
            JAVA_INT.withName("handle"), //
            JAVA_INT.withName("qp_num"), // its number on the device; completions contain it
            JAVA_INT.withName("state"), // as the library last set it; the connection manager keeps it up to date
            JAVA_INT.withName("qp_type")).withName("ibv_qp");

    private static final long STATE = Offsets.of(LAYOUT, "state");

    private final MemorySegment pointer;
    private final Operations operations;
    private final int maximumInlineBytes;

    /**
     * @param pointer the queue pair that the connection manager has created
     * @param attributes the attributes that the device granted
     */
    public QueuePair(MemorySegment pointer, ProtectionDomain domain, IbvQPInitAttr attributes) throws IOException {
        this(domain, attributes, pointer.reinterpret(LAYOUT.byteSize()));
    }

    private QueuePair(ProtectionDomain domain, IbvQPInitAttr attributes, MemorySegment struct) throws IOException {
        super(struct.get(JAVA_INT, Offsets.of(LAYOUT, "qp_num")));
        this.pointer = struct;
        this.operations = domain.device().operations();
        this.maximumInlineBytes = attributes.cap().getMax_inline_data();
        this.context = domain.device();
        this.pd = domain;
        this.send_cq = attributes.getSend_cq();
        this.recv_cq = attributes.getRecv_cq();
        this.handle = struct.get(JAVA_INT, Offsets.of(LAYOUT, "handle"));
        this.qp_type = struct.get(JAVA_INT, Offsets.of(LAYOUT, "qp_type"));
    }

    /** Returns one of {@link IbvQP}'s {@code IBV_QPS} states, or {@link IbvQP#IBV_QPS_RESET} once it is destroyed. */
    @Override
    public int getState() {
        return isOpen() ? pointer.get(JAVA_INT, STATE) : IBV_QPS_RESET;
    }

    /**
     * Returns how many bytes a write may carry with it. Their memory may be used again as soon as the write is posted.
     */
    public int maximumInlineBytes() {
        return maximumInlineBytes;
    }

    /** Returns the operations of the queue pair's device. */
    public Operations operations() {
        return operations;
    }

    public MemorySegment pointer() throws IOException {
        if (!isOpen()) {
            throw new IOException("the queue pair was destroyed: qp_num=" + getQp_num());
        }
        return pointer;
    }
}
