package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The parameters that two ends tell each other when they connect.
 * <pre>
 *   rdma_conn_param:  0              8                  9                     10                11
 *                     +--------------+------------------+---------------------+-----------------+--
 *                     | private_data | private_data_len | responder_resources | initiator_depth |
 *                     +--------------+------------------+---------------------+-----------------+--
 *                     11             12            13                14    15    16       20    24
 *                   --+--------------+-------------+-----------------+-----+-----+--------+-----+
 *                     | flow_control | retry_count | rnr_retry_count | srq |     | qp_num |     |
 *                   --+--------------+-------------+-----------------+-----+-----+--------+-----+
 * </pre>
 */
@SuppressWarnings("restricted") // DiSNI's parameters have pointers as numbers.
final class ConnectionParameters extends RdmaConnParam {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            ADDRESS.withName("private_data"), //
            JAVA_BYTE.withName("private_data_len"), // bytes
            JAVA_BYTE.withName("responder_resources"), // reads and atomics that it answers at once
            JAVA_BYTE.withName("initiator_depth"), // reads and atomics that it has under way at once
            JAVA_BYTE.withName("flow_control"), //
            JAVA_BYTE.withName("retry_count"), //
            JAVA_BYTE.withName("rnr_retry_count"), // 7 means for ever
            JAVA_BYTE.withName("srq"), //
            Offsets.unused(1), //
            JAVA_INT.withName("qp_num"), //
            Offsets.unused(4)).withName("rdma_conn_param");

    private static final long PRIVATE_DATA = Offsets.of(LAYOUT, "private_data");
    private static final long PRIVATE_DATA_BYTES = Offsets.of(LAYOUT, "private_data_len");
    private static final long RESPONDER_RESOURCES = Offsets.of(LAYOUT, "responder_resources");
    private static final long INITIATOR_DEPTH = Offsets.of(LAYOUT, "initiator_depth");
    private static final long FLOW_CONTROL = Offsets.of(LAYOUT, "flow_control");
    private static final long RETRIES = Offsets.of(LAYOUT, "retry_count");
    private static final long RECEIVER_NOT_READY_RETRIES = Offsets.of(LAYOUT, "rnr_retry_count");

    /** RDMA_MAX_RESP_RES and RDMA_MAX_INIT_DEPTH: the library uses as many as both device and peer can. */
    private static final byte AS_MANY_AS_POSSIBLE = (byte) 0xFF;

    private final MemorySegment privateData;

    /** Copies what the peer has sent. The copy of its private data lives as long as this object. */
    ConnectionParameters(MemorySegment struct) throws IOException {
        private_data_len = struct.get(JAVA_BYTE, PRIVATE_DATA_BYTES);
        privateData = Arena.ofAuto().allocate(Math.max(1, Byte.toUnsignedLong(private_data_len)));
        MemorySegment theirs = struct.get(ADDRESS, PRIVATE_DATA);
        if (theirs.address() != 0) {
            privateData.copyFrom(theirs.reinterpret(Byte.toUnsignedLong(private_data_len)));
            private_data_addr = privateData.address();
        }
        responder_resources = struct.get(JAVA_BYTE, RESPONDER_RESOURCES);
        initiator_depth = struct.get(JAVA_BYTE, INITIATOR_DEPTH);
        flow_control = struct.get(JAVA_BYTE, FLOW_CONTROL);
        retry_count = struct.get(JAVA_BYTE, RETRIES);
        rnr_retry_count = struct.get(JAVA_BYTE, RECEIVER_NOT_READY_RETRIES);
        qp_num = struct.get(JAVA_INT, Offsets.of(LAYOUT, "qp_num"));
    }

    MemorySegment privateData() {
        return privateData.asSlice(0, Byte.toUnsignedLong(private_data_len));
    }

    /**
     * Writes this side's parameters into the struct. The number of reads and atomics under way defaults to as many as
     * both sides can.
     */
    static void write(RdmaConnParam parameters, MemorySegment struct) {
        struct.set(ADDRESS, PRIVATE_DATA, MemorySegment.ofAddress(parameters.getPrivate_data()));
        struct.set(JAVA_BYTE, PRIVATE_DATA_BYTES, parameters.getPrivate_data_len());
        struct.set(JAVA_BYTE, RESPONDER_RESOURCES, orAsManyAsPossible(parameters.getResponder_resources()));
        struct.set(JAVA_BYTE, INITIATOR_DEPTH, orAsManyAsPossible(parameters.getInitiator_depth()));
        struct.set(JAVA_BYTE, FLOW_CONTROL, parameters.getFlow_control());
        struct.set(JAVA_BYTE, RETRIES, parameters.getRetry_count());
        struct.set(JAVA_BYTE, RECEIVER_NOT_READY_RETRIES, parameters.getRnr_retry_count());
    }

    // DiSNI's setters of these two members throw an exception, so zero means that no value was chosen.
    private static byte orAsManyAsPossible(byte asked) {
        return asked == 0 ? AS_MANY_AS_POSSIBLE : asked;
    }
}
