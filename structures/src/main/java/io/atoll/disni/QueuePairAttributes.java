package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvQPInitAttr;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The attributes that a program asks for when it creates a queue pair.
 * <pre>
 *   ibv_qp_init_attr:  0            8         16        24    32         52        56           60    64
 *                      +------------+---------+---------+-----+----------+---------+------------+-----+
 *                      | qp_context | send_cq | recv_cq | srq |   cap    | qp_type | sq_sig_all |     |
 *                      +------------+---------+---------+-----+----------+---------+------------+-----+
 * </pre>
 */
@SuppressWarnings("restricted") // DiSNI's attributes have pointers as numbers.
final class QueuePairAttributes {

    static final StructLayout CAPACITY = MemoryLayout.structLayout( //
            JAVA_INT.withName("max_send_wr"), //
            JAVA_INT.withName("max_recv_wr"), //
            JAVA_INT.withName("max_send_sge"), //
            JAVA_INT.withName("max_recv_sge"), //
            JAVA_INT.withName("max_inline_data")).withName("ibv_qp_cap");

    public static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            ADDRESS.withName("qp_context"), //
            ADDRESS.withName("send_cq"), //
            ADDRESS.withName("recv_cq"), //
            ADDRESS.withName("srq"), //
            CAPACITY.withName("cap"), //
            JAVA_INT.withName("qp_type"), //
            JAVA_INT.withName("sq_sig_all"), //
            Offsets.unused(4)).withName("ibv_qp_init_attr");

    private QueuePairAttributes() {}

    /** Writes the requested attributes into the struct. */
    public static void write(IbvQPInitAttr asked, MemorySegment struct) throws IOException {
        struct.set(ADDRESS, Offsets.of(LAYOUT, "qp_context"), MemorySegment.ofAddress(asked.getQp_context()));
        struct.set(ADDRESS, Offsets.of(LAYOUT, "send_cq"), ((CompletionQueue) asked.getSend_cq()).pointer());
        struct.set(ADDRESS, Offsets.of(LAYOUT, "recv_cq"), ((CompletionQueue) asked.getRecv_cq()).pointer());
        struct.set(ADDRESS, Offsets.of(LAYOUT, "srq"), MemorySegment.ofAddress(asked.getSrq()));
        setCapacity(struct, "max_send_wr", asked.cap().getMax_send_wr());
        setCapacity(struct, "max_recv_wr", asked.cap().getMax_recv_wr());
        // At least one: programs for DiSNI leave these out, as libdisni does not look at them.
        setCapacity(struct, "max_send_sge", Math.max(1, asked.cap().getMax_send_sge()));
        setCapacity(struct, "max_recv_sge", Math.max(1, asked.cap().getMax_recv_sge()));
        setCapacity(struct, "max_inline_data", asked.cap().getMax_inline_data());
        struct.set(JAVA_INT, Offsets.of(LAYOUT, "qp_type"), asked.getQp_type());
        struct.set(JAVA_INT, Offsets.of(LAYOUT, "sq_sig_all"), asked.getSq_sig_all());
    }

    /** Reads the capacities that the device granted, which may be larger than requested. */
    public static void readCapacity(MemorySegment struct, IbvQPInitAttr granted) {
        granted.cap().setMax_send_wr(capacity(struct, "max_send_wr"));
        granted.cap().setMax_recv_wr(capacity(struct, "max_recv_wr"));
        granted.cap().setMax_send_sge(capacity(struct, "max_send_sge"));
        granted.cap().setMax_recv_sge(capacity(struct, "max_recv_sge"));
        granted.cap().setMax_inline_data(capacity(struct, "max_inline_data"));
    }

    private static void setCapacity(MemorySegment struct, String member, int value) {
        struct.set(JAVA_INT, Offsets.of(LAYOUT, "cap", member), value);
    }

    private static int capacity(MemorySegment struct, String member) {
        return struct.get(JAVA_INT, Offsets.of(LAYOUT, "cap", member));
    }
}
