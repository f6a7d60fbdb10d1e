package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvMr;
import io.atoll.disni.RdmaUnavailableException.Lack;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * Memory that a device may access, pinned until it is deregistered. It may have any size. {@link #lengthBytes} is its
 * length: DiSNI's {@link #getLength} is an int, and {@link Integer#MAX_VALUE} for a longer region.
 * <pre>
 *   ibv_mr:  0         8      16      24       32       36     40     44     48
 *            +---------+------+------+--------+--------+------+------+------+
 *            | context |  pd  | addr | length | handle | lkey | rkey |      |
 *            +---------+------+------+--------+--------+------+------+------+
 * </pre>
 */
@SuppressWarnings("restricted") // The struct is reached through the pointer that C returned.
public final class MemoryRegion extends IbvMr {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            ADDRESS.withName("context"), //
            ADDRESS.withName("pd"), //
            ADDRESS.withName("addr"), //
            JAVA_LONG.withName("length"), //
            JAVA_INT.withName("handle"), //
            JAVA_INT.withName("lkey"), //
            JAVA_INT.withName("rkey"), //
            Offsets.unused(4)).withName("ibv_mr");

    private static final int ENOMEM = 12;

    private final DeviceContext device;
    private final MemorySegment pointer;
    // Keeps the memory reachable, so that it is not freed while the device may write to it.
    private final MemorySegment memory;

    private MemoryRegion(DeviceContext device, MemorySegment pointer, MemorySegment memory, int access)
            throws IOException {
        super(device, memory.address(), (int) Math.min(memory.byteSize(), Integer.MAX_VALUE), access,
                pointer.get(JAVA_INT, Offsets.of(LAYOUT, "lkey")), pointer.get(JAVA_INT, Offsets.of(LAYOUT, "rkey")),
                pointer.get(JAVA_INT, Offsets.of(LAYOUT, "handle")));
        this.device = device;
        this.pointer = pointer;
        this.memory = memory;
    }

    /**
     * Registers native memory.
     *
     * @param access a combination of {@link IbvMr}'s {@code IBV_ACCESS} flags
     */
    public static MemoryRegion register(ProtectionDomain domain, MemorySegment memory, int access) throws IOException {
        DeviceContext device = domain.device();
        try {
            MemorySegment pointer = device.library().registerMemory.pointer(domain.pointer(), memory,
                    memory.byteSize(), access);
            return new MemoryRegion(device, pointer.reinterpret(LAYOUT.byteSize()), memory, access);
        } catch (NativeCallException failure) {
            if (failure.errorNumber() != ENOMEM) {
                throw failure;
            }
            throw new RdmaUnavailableException(Lack.LOCKED_MEMORY,
                    "memory cannot be pinned for RDMA; look at the limit with: ulimit -l; raise it in"
                            + " /etc/security/limits.conf (memlock) or the service's LimitMEMLOCK: bytes="
                            + memory.byteSize(),
                    failure);
        }
    }

    public long lengthBytes() {
        return memory.byteSize();
    }

    /** Takes the memory back from the device. */
    public void deregister() throws IOException {
        if (!isOpen()) {
            throw new IOException("the memory region was deregistered");
        }
        device.library().deregisterMemory.check(pointer);
        close();
    }
}
