package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvPd;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The domain of queue pairs and memory regions: only those of the same domain work together.
 * <pre>
 *   ibv_pd:  0         8        12       16
 *            +---------+--------+--------+
 *            | context | handle |        |
 *            +---------+--------+--------+
 * </pre>
 */
@SuppressWarnings("restricted") // The struct is reached through the pointer that C returned.
public final class ProtectionDomain extends IbvPd {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            ADDRESS.withName("context"), //
            JAVA_INT.withName("handle"), //
            Offsets.unused(4)).withName("ibv_pd");

    private final DeviceContext device;
    private final MemorySegment pointer;

    private ProtectionDomain(DeviceContext device, MemorySegment pointer) throws IOException {
        super(device);
        this.device = device;
        this.pointer = pointer;
        this.handle = pointer.get(JAVA_INT, Offsets.of(LAYOUT, "handle"));
    }

    public static ProtectionDomain allocate(DeviceContext device) throws IOException {
        MemorySegment pointer = device.library().allocateProtectionDomain.pointer(device.pointer());
        return new ProtectionDomain(device, pointer.reinterpret(LAYOUT.byteSize()));
    }

    DeviceContext device() {
        return device;
    }

    public MemorySegment pointer() throws IOException {
        if (!isOpen()) {
            throw new IOException("the protection domain was deallocated");
        }
        return pointer;
    }

    /** Returns 0 or the error number. A domain that is still in use stays as it is. */
    @Override
    public int deallocPd() throws IOException {
        int error = device.library().deallocateProtectionDomain.error(pointer());
        if (error == 0) {
            close();
        }
        return error;
    }
}
