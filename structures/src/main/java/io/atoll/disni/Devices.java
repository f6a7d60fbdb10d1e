package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The machine's RDMA devices. It serves programs that choose a device by its name instead of by an address to connect
 * to.
 */
@SuppressWarnings("restricted") // The list is reached through the pointer that C returned.
public final class Devices {

    private static final long LONGEST_NAME_BYTES = 64; // IBV_SYSFS_NAME_MAX

    private Devices() {}

    /**
     * Returns the names of the devices, at least one, such as {@code mlx5_0} or {@code rxe0}.
     *
     * @throws RdmaUnavailableException if there is none; the message tells what is missing
     */
    public static List<String> names() throws IOException {
        try (DeviceList list = list()) {
            return List.copyOf(list.devices().keySet());
        }
    }

    /**
     * Opens a device. The caller closes it when nothing made of it is left. The provider must have been installed.
     *
     * @throws RdmaUnavailableException if there is no device at all; the message tells what is missing
     * @throws IllegalArgumentException if there is no device of this name
     */
    public static DeviceContext open(String name) throws IOException {
        try (DeviceList list = list()) {
            MemorySegment device = list.devices().get(name);
            if (device == null) {
                throw new IllegalArgumentException(
                        "no such device: devices=" + list.devices().keySet() + " name=" + name);
            }
            return DeviceContext.of(list.library().openDevice.pointer(device), true);
        }
    }

    private static DeviceList list() throws RdmaUnavailableException {
        Ibverbs library = Ibverbs.load();
        DeviceList list;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_INT);
            MemorySegment pointer = library.getDeviceList.pointer(count);
            list = new DeviceList(library, pointer, devices(library, pointer, count.get(JAVA_INT, 0)));
        } catch (NativeCallException failure) {
            throw MissingDevice.explain(failure);
        }
        if (list.devices().isEmpty()) {
            list.close();
            throw MissingDevice.explain(null);
        }
        return list;
    }

    private static Map<String, MemorySegment> devices(Ibverbs library, MemorySegment list, int count)
            throws NativeCallException {
        MemorySegment pointers = list.reinterpret(count * ADDRESS.byteSize());
        Map<String, MemorySegment> devices = new LinkedHashMap<>();
        for (int index = 0; index < count; index++) {
            MemorySegment device = pointers.getAtIndex(ADDRESS, index);
            String name = library.getDeviceName.pointer(device).reinterpret(LONGEST_NAME_BYTES).getString(0);
            devices.put(name, device);
        }
        return devices;
    }

    private record DeviceList(Ibverbs library, MemorySegment pointer, Map<String, MemorySegment> devices)
            implements
                AutoCloseable {

        @Override
        public void close() {
            library.freeDeviceList.run(pointer);
        }
    }
}
