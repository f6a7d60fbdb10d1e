package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.SVCPostSend;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * A work request to send, read, write or update, laid out in memory. Its setters change it in place, and the next
 * execution of its call posts the changed request.
 * <pre>
 *   ibv_send_wr:  0       8      16        24        28       32           36         40     72        128
 *                 +-------+------+---------+---------+--------+------------+----------+------+----//----+
 *                 | wr_id | next | sg_list | num_sge | opcode | send_flags | imm_data |  wr  |          |
 *                 +-------+------+---------+---------+--------+------------+----------+------+----//----+
 *   wr, by opcode:
 *     rdma        0             8      12
 *                 +-------------+------+
 *                 | remote_addr | rkey |
 *                 +-------------+------+
 *     atomic      0             8             16     24     28
 *                 +-------------+-------------+------+------+
 *                 | remote_addr | compare_add | swap | rkey |
 *                 +-------------+-------------+------+------+
 *     ud          0      8            12            16
 *                 +------+------------+-------------+
 *                 |  ah  | remote_qpn | remote_qkey |
 *                 +------+------------+-------------+
 * </pre>
 */
public final class SendWorkRequest implements SVCPostSend.SendWRMod {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            JAVA_LONG.withName("wr_id"), // comes back in the completion
            ADDRESS.withName("next"), // the next request of the chain; null in the last one
            ADDRESS.withName("sg_list"), //
            JAVA_INT.withName("num_sge"), //
            JAVA_INT.withName("opcode"), //
            JAVA_INT.withName("send_flags"), //
            JAVA_INT.withName("imm_data"), // in network order
            MemoryLayout.unionLayout( //
                    MemoryLayout.structLayout(JAVA_LONG.withName("remote_addr"), JAVA_INT.withName("rkey"))
                            .withName("rdma"),
                    MemoryLayout.structLayout(JAVA_LONG.withName("remote_addr"), JAVA_LONG.withName("compare_add"),
                            JAVA_LONG.withName("swap"), JAVA_INT.withName("rkey"), Offsets.unused(4))
                            .withName("atomic"),
                    MemoryLayout.structLayout(ADDRESS.withName("ah"), JAVA_INT.withName("remote_qpn"),
                            JAVA_INT.withName("remote_qkey")).withName("ud"))
                    .withName("wr"),
            Offsets.unused(56)) // XRC, memory windows, segmentation
            .withName("ibv_send_wr");

    static final long BYTES = LAYOUT.byteSize();

    private static final long ID = Offsets.of(LAYOUT, "wr_id");
    private static final long NEXT = Offsets.of(LAYOUT, "next");
    private static final long ELEMENTS = Offsets.of(LAYOUT, "sg_list");
    private static final long ELEMENT_COUNT = Offsets.of(LAYOUT, "num_sge");
    private static final long OPCODE = Offsets.of(LAYOUT, "opcode");
    private static final long FLAGS = Offsets.of(LAYOUT, "send_flags");
    private static final long IMMEDIATE = Offsets.of(LAYOUT, "imm_data");
    private static final long RDMA_ADDRESS = Offsets.of(LAYOUT, "wr", "rdma", "remote_addr");
    private static final long RDMA_KEY = Offsets.of(LAYOUT, "wr", "rdma", "rkey");
    private static final long ATOMIC_ADDRESS = Offsets.of(LAYOUT, "wr", "atomic", "remote_addr");
    private static final long ATOMIC_COMPARE_ADD = Offsets.of(LAYOUT, "wr", "atomic", "compare_add");
    private static final long ATOMIC_SWAP = Offsets.of(LAYOUT, "wr", "atomic", "swap");
    private static final long ATOMIC_KEY = Offsets.of(LAYOUT, "wr", "atomic", "rkey");

    private final MemorySegment struct;
    private final ScatterGatherElement[] elements;
    private final Rdma rdma = new Rdma();
    private final Atomic atomic = new Atomic();

    /**
     * @param struct zeroed memory for the request
     * @param array the memory for its elements
     */
    SendWorkRequest(IbvSendWR request, MemorySegment struct, MemorySegment array) {
        this.struct = struct;
        this.elements = new ScatterGatherElement[request.getSg_list().size()];
        for (int index = 0; index < elements.length; index++) {
            elements[index] = new ScatterGatherElement(
                    array.asSlice(index * ScatterGatherElement.BYTES, ScatterGatherElement.BYTES));
        }
        ScatterGatherElement.write(request.getSg_list(), array);
        struct.set(ADDRESS, ELEMENTS, array);
        struct.set(JAVA_INT, ELEMENT_COUNT, elements.length);
        struct.set(JAVA_INT, IMMEDIATE, request.getImm_data());
        setWr_id(request.getWr_id());
        setOpcode(request.getOpcode());
        setSend_flags(request.getSend_flags());
        writeTarget(request);
    }

    private void writeTarget(IbvSendWR request) {
        switch (request.getOpcode()) {
            case IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP, IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD -> {
                atomic.setRemote_addr(request.getAtomic().getRemote_addr());
                atomic.setCompare_add(request.getAtomic().getCompare_add());
                atomic.setSwap(request.getAtomic().getSwap());
                atomic.setRkey(request.getAtomic().getRkey());
            }
            case IbvSendWR.IBV_WR_RDMA_READ, IbvSendWR.IBV_WR_RDMA_WRITE, IbvSendWR.IBV_WR_RDMA_WRITE_WITH_IMM -> {
                rdma.setRemote_addr(request.getRdma().getRemote_addr());
                rdma.setRkey(request.getRdma().getRkey());
            }
            case IbvSendWR.IBV_WR_SEND, IbvSendWR.IBV_WR_SEND_WITH_IMM -> {
                // The receiver says where the bytes go.
            }
            default -> throw new IllegalArgumentException("not a work request: opcode=" + request.getOpcode());
        }
    }

    MemorySegment struct() {
        return struct;
    }

    void setNext(MemorySegment next) {
        struct.set(ADDRESS, NEXT, next);
    }

    @Override
    public void setWr_id(long id) {
        struct.set(JAVA_LONG, ID, id);
    }

    @Override
    public long getWr_id() {
        return struct.get(JAVA_LONG, ID);
    }

    @Override
    public void setSend_flags(int flags) {
        struct.set(JAVA_INT, FLAGS, flags);
    }

    @Override
    public int getSend_flags() {
        return struct.get(JAVA_INT, FLAGS);
    }

    /** Changes the verb. The caller must then set the part of that verb. */
    public void setOpcode(int opcode) {
        struct.set(JAVA_INT, OPCODE, opcode);
    }

    @Override
    public int getOpcode() {
        return struct.get(JAVA_INT, OPCODE);
    }

    @Override
    public int getNum_sge() {
        return elements.length;
    }

    @Override
    public ScatterGatherElement getSgeMod(int index) {
        return elements[index];
    }

    /** Returns the part of reads and writes. */
    @Override
    public Rdma getRdmaMod() {
        return rdma;
    }

    /** Returns the part of atomics, which DiSNI's own call lacks. */
    public Atomic getAtomicMod() {
        return atomic;
    }

    /** The part of a read or a write: the place of its words at the peer. */
    public final class Rdma implements SVCPostSend.RdmaMod {

        @Override
        public void setRemote_addr(long address) {
            struct.set(JAVA_LONG, RDMA_ADDRESS, address);
        }

        @Override
        public long getRemote_addr() {
            return struct.get(JAVA_LONG, RDMA_ADDRESS);
        }

        @Override
        public void setRkey(int key) {
            struct.set(JAVA_INT, RDMA_KEY, key);
        }

        @Override
        public int getRkey() {
            return struct.get(JAVA_INT, RDMA_KEY);
        }

        /** Does nothing: there is no such member. */
        @Override
        public void setReserved(int ignored) {}

        @Override
        public int getReserved() {
            return 0;
        }
    }

    /** The part of an atomic: the word that it updates, and how. */
    public final class Atomic {

        public void setRemote_addr(long address) {
            struct.set(JAVA_LONG, ATOMIC_ADDRESS, address);
        }

        public long getRemote_addr() {
            return struct.get(JAVA_LONG, ATOMIC_ADDRESS);
        }

        /** Sets the word that compare-and-swap expects, or that fetch-and-add adds. */
        public void setCompare_add(long value) {
            struct.set(JAVA_LONG, ATOMIC_COMPARE_ADD, value);
        }

        public long getCompare_add() {
            return struct.get(JAVA_LONG, ATOMIC_COMPARE_ADD);
        }

        /** Sets the word that compare-and-swap writes. */
        public void setSwap(long value) {
            struct.set(JAVA_LONG, ATOMIC_SWAP, value);
        }

        public long getSwap() {
            return struct.get(JAVA_LONG, ATOMIC_SWAP);
        }

        public void setRkey(int key) {
            struct.set(JAVA_INT, ATOMIC_KEY, key);
        }

        public int getRkey() {
            return struct.get(JAVA_INT, ATOMIC_KEY);
        }
    }
}
