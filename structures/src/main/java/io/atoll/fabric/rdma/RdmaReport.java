package io.atoll.fabric.rdma;

import io.atoll.disni.DeviceAttributes;
import io.atoll.disni.DeviceAttributes.AtomicCapability;
import io.atoll.disni.DeviceContext;
import io.atoll.disni.Devices;
import io.atoll.disni.ForeignProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A list of what a machine has for RDMA and what it lacks. It serves people who look before they use RDMA.
 *
 * @param devices the devices that the kernel shows, including those that cannot be used
 * @param lockableBytes how much memory this process may pin; empty if there is no limit
 * @param obstacles the reasons why RDMA cannot be used, with a remedy for each; empty if it can be used
 */
public record RdmaReport(List<DeviceState> devices, OptionalLong lockableBytes, List<String> obstacles) {

    private static final String LIMIT = "Max locked memory";
    private static final int CAP_IPC_LOCK = 14;
    private static final String NO_ADDRESS = "0000:0000:0000:0000:0000:0000:0000:0000";

    /** @param attributes empty if the device cannot be opened */
    public record DeviceState(String name, Optional<DeviceAttributes> attributes, List<PortState> ports) {

        private boolean hasAtomics() {
            return attributes.isPresent() && attributes.get().atomicCapability() != AtomicCapability.NONE;
        }

        private boolean isActive() {
            return ports.stream().anyMatch(port -> port.state().contains("ACTIVE"));
        }
    }

    /**
     * @param state such as {@code 4: ACTIVE}
     * @param linkLayer {@code Ethernet} or {@code InfiniBand}
     * @param rate such as {@code 100 Gb/sec (4X EDR)}
     */
    public record PortState(int number, String state, String linkLayer, String rate, List<Gid> gids) {}

    /**
     * An entry of a port's table of addresses.
     *
     * @param type such as {@code RoCE v2}; empty if the kernel does not say
     * @param networkInterface empty if there is none
     */
    public record Gid(int index, String address, String type, String networkInterface) {}

    /** Asks a device what it can do. */
    interface Query {
        DeviceAttributes of(String device) throws IOException;
    }

    /** Examines this machine. Opens each device for a moment. */
    public static RdmaReport take() {
        return take(DeviceAddress.DEVICES, Path.of("/proc/self"), RdmaReport::query);
    }

    static RdmaReport take(Path devices, Path process, Query query) {
        List<String> obstacles = new ArrayList<>();
        List<DeviceState> states = new ArrayList<>();
        for (Path device : entries(devices)) {
            states.add(state(device, query, obstacles));
        }
        findAddress(devices, obstacles);
        if (obstacles.isEmpty() && states.stream().noneMatch(state -> state.hasAtomics() && state.isActive())) {
            obstacles.add(
                    "no device has both atomics and an active port; look with: ibv_devinfo -v (atomic_cap, state)");
        }
        return new RdmaReport(states, lockableBytes(process), obstacles);
    }

    private static DeviceAttributes query(String name) throws IOException {
        ForeignProvider.install();
        DeviceContext device = Devices.open(name);
        try {
            return device.queryDevice();
        } finally {
            device.close();
        }
    }

    private static DeviceState state(Path device, Query query, List<String> obstacles) {
        String name = device.getFileName().toString();
        List<PortState> ports = entries(device.resolve("ports")).stream().map(RdmaReport::port).toList();
        try {
            return new DeviceState(name, Optional.of(query.of(name)), ports);
        } catch (IOException closed) {
            obstacles.add(closed.getMessage() + ": device=" + name);
            return new DeviceState(name, Optional.empty(), ports);
        }
    }

    private static PortState port(Path port) {
        List<Gid> gids = entries(port.resolve("gids")).stream()
                .map(entry -> gid(port, entry))
                .filter(gid -> !gid.address().isEmpty() && !gid.address().equals(NO_ADDRESS))
                .sorted((one, other) -> one.index() - other.index())
                .toList();
        return new PortState(Integer.parseInt(port.getFileName().toString()), content(port.resolve("state")),
                content(port.resolve("link_layer")), content(port.resolve("rate")), gids);
    }

    private static Gid gid(Path port, Path entry) {
        Path attributes = port.resolve("gid_attrs");
        String index = entry.getFileName().toString();
        return new Gid(Integer.parseInt(index), content(entry), content(attributes.resolve("types").resolve(index)),
                content(attributes.resolve("ndevs").resolve(index)));
    }

    private static void findAddress(Path devices, List<String> obstacles) {
        try {
            new DeviceAddress(devices).find(RdmaAddress.FIRST);
        } catch (IOException nowhere) {
            obstacles.add(String.valueOf(nowhere.getMessage()));
        }
    }

    private static OptionalLong lockableBytes(Path process) {
        if (mayLockAnything(process)) {
            return OptionalLong.empty();
        }
        return content(process.resolve("limits")).lines()
                .filter(line -> line.startsWith(LIMIT))
                .map(line -> line.substring(LIMIT.length()).strip().split(" +")[0])
                .filter(limit -> !limit.equals("unlimited"))
                .mapToLong(Long::parseLong)
                .findFirst();
    }

    private static boolean mayLockAnything(Path process) {
        return content(process.resolve("status")).lines()
                .filter(line -> line.startsWith("CapEff:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.split("\\s+")[1], 16) >>> CAP_IPC_LOCK & 1) == 1);
    }

    private static List<Path> entries(Path folder) {
        return DeviceAddress.entries(folder);
    }

    private static String content(Path file) {
        return DeviceAddress.content(file).orElse("");
    }
}
