package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostRecv;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.List;

/**
 * A request to receive into a buffer, laid out in memory. Its setters change it in place.
 * <pre>
 *   ibv_recv_wr:  0       8      16        24        28    32
 *                 +-------+------+---------+---------+-----+
 *                 | wr_id | next | sg_list | num_sge |     |
 *                 +-------+------+---------+---------+-----+
 * </pre>
 */
final class ReceiveWorkRequest implements SVCPostRecv.RecvWRMod {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            JAVA_LONG.withName("wr_id"), // comes back in the completion
            ADDRESS.withName("next"), // the next request of the chain; null in the last one
            ADDRESS.withName("sg_list"), //
            JAVA_INT.withName("num_sge"), //
            Offsets.unused(4)).withName("ibv_recv_wr");

    static final long BYTES = LAYOUT.byteSize();

    private static final long ID = Offsets.of(LAYOUT, "wr_id");
    private static final long NEXT = Offsets.of(LAYOUT, "next");
    private static final long ELEMENTS = Offsets.of(LAYOUT, "sg_list");
    private static final long ELEMENT_COUNT = Offsets.of(LAYOUT, "num_sge");

    private final MemorySegment struct;

    /**
     * @param struct zeroed memory for the request
     * @param array the memory for its elements
     */
    ReceiveWorkRequest(IbvRecvWR request, MemorySegment struct, MemorySegment array) {
        this.struct = struct;
        List<IbvSge> elements = elements(request);
        ScatterGatherElement.write(elements, array);
        struct.set(JAVA_LONG, ID, request.getWr_id());
        struct.set(ADDRESS, ELEMENTS, array);
        struct.set(JAVA_INT, ELEMENT_COUNT, elements.size());
    }

    /** Returns the request's elements, or none if DiSNI has no list of them. */
    static List<IbvSge> elements(IbvRecvWR request) {
        return request.getNum_sge() == 0 ? List.of() : request.getSg_list();
    }

    MemorySegment struct() {
        return struct;
    }

    void setNext(MemorySegment next) {
        struct.set(ADDRESS, NEXT, next);
    }

    @Override
    public long getWr_id() {
        return struct.get(JAVA_LONG, ID);
    }
}
