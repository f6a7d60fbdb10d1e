package io.atoll.disni;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import com.ibm.disni.verbs.IbvWC;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * Completions as a device's driver has written them. They are taken from a queue again and again, without allocation.
 * Only the requested parts of a completion are read. If a request has failed, only its identity, status, vendor's error
 * and queue pair number have a meaning. For one thread at a time.
 * <pre>
 *   ibv_wc:  0       8        12       16           20         24         28       32       36
 *            +-------+--------+--------+------------+----------+----------+--------+--------+--
 *            | wr_id | status | opcode | vendor_err | byte_len | imm_data | qp_num | src_qp |
 *            +-------+--------+--------+------------+----------+----------+--------+--------+--
 *            36         40           42     44   45               46    48
 *          --+----------+------------+------+----+----------------+-----+
 *            | wc_flags | pkey_index | slid | sl | dlid_path_bits |     |
 *          --+----------+------------+------+----+----------------+-----+
 * </pre>
 */
public final class Completions {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            JAVA_LONG.withName("wr_id"), // of the work request
            JAVA_INT.withName("status"), //
            JAVA_INT.withName("opcode"), //
            JAVA_INT.withName("vendor_err"), //
            JAVA_INT.withName("byte_len"), // bytes received or read
            JAVA_INT.withName("imm_data"), // in network order
            JAVA_INT.withName("qp_num"), //
            JAVA_INT.withName("src_qp"), //
            JAVA_INT.withName("wc_flags"), //
            JAVA_SHORT.withName("pkey_index"), //
            JAVA_SHORT.withName("slid"), //
            JAVA_BYTE.withName("sl"), //
            JAVA_BYTE.withName("dlid_path_bits"), //
            Offsets.unused(2)).withName("ibv_wc");

    static final long BYTES = LAYOUT.byteSize();

    private static final long ID = Offsets.of(LAYOUT, "wr_id");
    private static final long STATUS = Offsets.of(LAYOUT, "status");
    private static final long OPCODE = Offsets.of(LAYOUT, "opcode");
    private static final long VENDOR_ERROR = Offsets.of(LAYOUT, "vendor_err");
    private static final long LENGTH = Offsets.of(LAYOUT, "byte_len");
    private static final long IMMEDIATE = Offsets.of(LAYOUT, "imm_data");
    private static final long QUEUE_PAIR_NUMBER = Offsets.of(LAYOUT, "qp_num");
    private static final long SOURCE_QUEUE_PAIR = Offsets.of(LAYOUT, "src_qp");
    private static final long FLAGS = Offsets.of(LAYOUT, "wc_flags");
    private static final long PARTITION_KEY_INDEX = Offsets.of(LAYOUT, "pkey_index");
    private static final long SOURCE_LOCAL_IDENTIFIER = Offsets.of(LAYOUT, "slid");
    private static final long SERVICE_LEVEL = Offsets.of(LAYOUT, "sl");
    private static final long PATH_BITS = Offsets.of(LAYOUT, "dlid_path_bits");

    // Statuses that are newer than DiSNI's enumeration, and follow its end.
    private static final String[] LATER_STATUSES = {"IBV_WC_TM_ERR", "IBV_WC_TM_RNDV_INCOMPLETE"};
    private static final IbvWC.IbvWcStatus[] STATUSES = IbvWC.IbvWcStatus.values();

    private final int most;
    private final MemorySegment structs;

    /** @param most the most completions to take at once */
    public Completions(int most) {
        this.most = most;
        this.structs = Arena.ofAuto().allocate(LAYOUT, most);
    }

    /** Takes the completions that are there, in place of those that were taken before. Returns how many. */
    public int poll(CompletionQueue queue) throws IOException {
        int found = queue.operations().poll(queue.pointer(), most, structs);
        if (found < 0) {
            throw new IOException("the completion queue is broken: result=" + found);
        }
        return found;
    }

    /** Returns the identity of the work request. */
    public long id(int index) {
        return structs.get(JAVA_LONG, index * BYTES + ID);
    }

    /** Returns one of DiSNI's {@link IbvWC.IbvWcStatus}; see {@link #statusName}. */
    public int status(int index) {
        return structs.get(JAVA_INT, index * BYTES + STATUS);
    }

    void read(int index, IbvWC into) {
        long at = index * BYTES;
        into.setWr_id(id(index));
        into.setStatus(status(index));
        into.setOpcode(structs.get(JAVA_INT, at + OPCODE));
        into.setVendor_err(structs.get(JAVA_INT, at + VENDOR_ERROR));
        into.setByte_len(structs.get(JAVA_INT, at + LENGTH));
        into.setImm_data(structs.get(JAVA_INT, at + IMMEDIATE));
        into.setQp_num(structs.get(JAVA_INT, at + QUEUE_PAIR_NUMBER));
        into.setSrc_qp(structs.get(JAVA_INT, at + SOURCE_QUEUE_PAIR));
        into.setWc_flags(structs.get(JAVA_INT, at + FLAGS));
        into.setPkey_index(structs.get(JAVA_SHORT, at + PARTITION_KEY_INDEX));
        into.setSlid(structs.get(JAVA_SHORT, at + SOURCE_LOCAL_IDENTIFIER));
        into.setSl(structs.get(JAVA_BYTE, at + SERVICE_LEVEL));
        into.setDlid_path_bits(structs.get(JAVA_BYTE, at + PATH_BITS));
    }

    /** Returns the name of a status in {@code verbs.h}, such as {@code IBV_WC_RETRY_EXC_ERR}. */
    public static String statusName(int status) {
        if (status >= 0 && status < STATUSES.length) {
            return STATUSES[status].name();
        }
        int later = status - STATUSES.length;
        return later >= 0 && later < LATER_STATUSES.length ? LATER_STATUSES[later] : "status " + status;
    }
}
