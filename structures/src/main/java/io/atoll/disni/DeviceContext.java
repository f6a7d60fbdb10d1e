package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvContext;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.HashMap;
import java.util.Map;

/**
 * An open device. Each open device of the C side has exactly one object: DiSNI's groups tell devices apart by their
 * object.
 * <pre>
 *   ibv_context:  0        8                    264      268        272                276
 *                 +--------+---------//---------+--------+----------+------------------+--//--
 *                 | device |        ops         | cmd_fd | async_fd | num_comp_vectors |
 *                 +--------+---------//---------+--------+----------+------------------+--//--
 * </pre>
 */
@SuppressWarnings("restricted") // The struct is reached through the pointer that C returned.
public final class DeviceContext extends IbvContext {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            ADDRESS.withName("device"), //
            Operations.LAYOUT.withName("ops"), //
            JAVA_INT.withName("cmd_fd"), //
            JAVA_INT.withName("async_fd"), //
            JAVA_INT.withName("num_comp_vectors")).withName("ibv_context");

    private static final Map<Long, DeviceContext> OPEN = new HashMap<>();

    private final Ibverbs library;
    private final MemorySegment pointer;
    private final Operations operations;
    private final boolean owned;

    private DeviceContext(Ibverbs library, MemorySegment pointer, boolean owned) throws IOException {
        super(pointer.get(JAVA_INT, Offsets.of(LAYOUT, "cmd_fd")),
                pointer.get(JAVA_INT, Offsets.of(LAYOUT, "num_comp_vectors")));
        this.library = library;
        this.pointer = pointer;
        this.owned = owned;
        this.operations = new Operations(pointer.asSlice(Offsets.of(LAYOUT, "ops"), Operations.LAYOUT));
    }

    /** Returns the device that the connection manager has opened at this pointer. The connection manager closes it. */
    public static DeviceContext of(MemorySegment pointer) throws IOException {
        return of(pointer, false);
    }

    static DeviceContext of(MemorySegment pointer, boolean owned) throws IOException {
        synchronized (OPEN) {
            DeviceContext context = OPEN.get(pointer.address());
            if (context == null) {
                context = new DeviceContext(Ibverbs.load(), pointer.reinterpret(LAYOUT.byteSize()), owned);
                OPEN.put(pointer.address(), context);
            }
            return context;
        }
    }

    public Operations operations() {
        return operations;
    }

    public Ibverbs library() {
        return library;
    }

    public MemorySegment pointer() throws IOException {
        if (!isOpen()) {
            throw new IOException("the device was closed");
        }
        return pointer;
    }

    /** Returns the capabilities that the device reports. */
    public DeviceAttributes queryDevice() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = arena.allocate(DeviceAttributes.LAYOUT);
            library.queryDevice.check(pointer(), attributes);
            return DeviceAttributes.read(attributes);
        }
    }

    /** Closes a device that {@link Devices#open} has opened. Everything made of it must be gone. */
    @Override
    public void close() {
        synchronized (OPEN) {
            if (owned && isOpen()) {
                int error = library.closeDevice.error(pointer);
                if (error != 0) {
                    throw new IllegalStateException(
                            "a device is closed when nothing made of it is left: errno=" + error);
                }
                OPEN.remove(pointer.address());
            }
            super.close();
        }
    }
}
