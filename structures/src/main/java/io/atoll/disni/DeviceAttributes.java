package io.atoll.disni;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The capabilities that a device reports: the members of {@code ibv_device_attr} that programs ask for.
 *
 * @param maximumRegionBytes of one memory region, unsigned
 * @param maximumWorkRequests outstanding in one queue
 * @param maximumScatterGather buffers of one work request
 * @param maximumReadsAsTarget reads and atomics that a queue pair answers at once
 * @param maximumReadsAsInitiator reads and atomics that a queue pair has under way at once
 */
public record DeviceAttributes(String firmware, long maximumRegionBytes, int vendorId, int vendorPartId,
        int maximumQueuePairs,
        int maximumWorkRequests, int maximumScatterGather, int maximumCompletions, int maximumReadsAsTarget,
        int maximumReadsAsInitiator, AtomicCapability atomicCapability, int ports) {

    /** The scope in which the device's atomics are atomic, in the order of {@code enum ibv_atomic_cap}. */
    public enum AtomicCapability {
        /** The device has no atomics. */
        NONE,
        /** Atomic with those of the same device only: a CPU's store may fall between the read and the write of one. */
        DEVICE,
        /** Atomic with every access to the memory, those of the CPUs included. */
        GLOBAL
    }

    private static final int FIRMWARE_BYTES = 64;

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            MemoryLayout.sequenceLayout(FIRMWARE_BYTES, JAVA_BYTE).withName("fw_ver"), //
            JAVA_LONG.withName("node_guid"), //
            JAVA_LONG.withName("sys_image_guid"), //
            JAVA_LONG.withName("max_mr_size"), //
            JAVA_LONG.withName("page_size_cap"), //
            JAVA_INT.withName("vendor_id"), //
            JAVA_INT.withName("vendor_part_id"), //
            JAVA_INT.withName("hw_ver"), //
            JAVA_INT.withName("max_qp"), //
            JAVA_INT.withName("max_qp_wr"), //
            JAVA_INT.withName("device_cap_flags"), //
            JAVA_INT.withName("max_sge"), //
            JAVA_INT.withName("max_sge_rd"), //
            JAVA_INT.withName("max_cq"), //
            JAVA_INT.withName("max_cqe"), //
            JAVA_INT.withName("max_mr"), //
            JAVA_INT.withName("max_pd"), //
            JAVA_INT.withName("max_qp_rd_atom"), //
            JAVA_INT.withName("max_ee_rd_atom"), //
            JAVA_INT.withName("max_res_rd_atom"), //
            JAVA_INT.withName("max_qp_init_rd_atom"), //
            JAVA_INT.withName("max_ee_init_rd_atom"), //
            JAVA_INT.withName("atomic_cap"), //
            Offsets.unused(56), // extended connections, memory windows, multicast, shared receive queues
            JAVA_SHORT.withName("max_pkeys"), //
            JAVA_BYTE.withName("local_ca_ack_delay"), //
            JAVA_BYTE.withName("phys_port_cnt"), //
            Offsets.unused(4)).withName("ibv_device_attr");

    static DeviceAttributes read(MemorySegment struct) {
        return new DeviceAttributes(struct.getString(Offsets.of(LAYOUT, "fw_ver")),
                struct.get(JAVA_LONG, Offsets.of(LAYOUT, "max_mr_size")), number(struct, "vendor_id"),
                number(struct, "vendor_part_id"), number(struct, "max_qp"), number(struct, "max_qp_wr"),
                number(struct, "max_sge"), number(struct, "max_cqe"), number(struct, "max_qp_rd_atom"),
                number(struct, "max_qp_init_rd_atom"), AtomicCapability.values()[number(struct, "atomic_cap")],
                Byte.toUnsignedInt(struct.get(JAVA_BYTE, Offsets.of(LAYOUT, "phys_port_cnt"))));
    }

    private static int number(MemorySegment struct, String member) {
        return struct.get(JAVA_INT, Offsets.of(LAYOUT, member));
    }
}
