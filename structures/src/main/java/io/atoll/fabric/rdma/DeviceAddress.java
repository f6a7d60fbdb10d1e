package io.atoll.fabric.rdma;

import io.atoll.disni.MissingDevice;
import io.atoll.disni.RdmaUnavailableException;
import io.atoll.disni.RdmaUnavailableException.Lack;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the address of an RDMA device of this machine in the kernel's files.
 *
 * @param devices the folder in which the kernel has one folder for each device
 */
record DeviceAddress(Path devices) {

    static final Path DEVICES = Path.of("/sys/class/infiniband");

    private static final int IPV6_BYTES = 16;

    /** @throws RdmaUnavailableException if there is no such device, or if it has no address */
    InetAddress find(RdmaAddress rdmaAddress) throws IOException {
        if (!Files.isDirectory(devices)) {
            throw MissingDevice.explain(null);
        }
        if (rdmaAddress.gidIndex() != null) {
            return inTable(port(one(rdmaAddress), rdmaAddress), rdmaAddress.gidIndex());
        }
        for (Path device : rdmaAddress.device() == null ? entries(devices) : List.of(one(rdmaAddress))) {
            Optional<InetAddress> address = interfaces(device, rdmaAddress).flatMap(DeviceAddress::addresses)
                    .findFirst();
            if (address.isPresent()) {
                return address.get();
            }
        }
        throw unavailable("no RDMA device has an address of IPv4; look with: rdma link; ip address: devices=" + names()
                + " device=" + rdmaAddress.device() + " devicePort=" + rdmaAddress.devicePort());
    }

    private Path one(RdmaAddress rdmaAddress) throws RdmaUnavailableException {
        return entries(devices).stream()
                .filter(device -> rdmaAddress.device() == null || device.endsWith(rdmaAddress.device()))
                .findFirst()
                .orElseThrow(
                        () -> unavailable("no such device: devices=" + names() + " device=" + rdmaAddress.device()));
    }

    private List<String> names() {
        return entries(devices).stream().map(device -> device.getFileName().toString()).toList();
    }

    private static Path port(Path device, RdmaAddress rdmaAddress) {
        return device.resolve("ports").resolve(String.valueOf(rdmaAddress.devicePort()));
    }

    private static InetAddress inTable(Path port, int index) throws IOException {
        Path entry = port.resolve("gids").resolve(String.valueOf(index));
        String gid = content(entry)
                .orElseThrow(() -> unavailable("the port's table of addresses has no such entry: file=" + entry));
        InetAddress address = InetAddress.getByAddress(bytes(gid));
        boolean ofIp = !address.isAnyLocalAddress() && !address.isLinkLocalAddress()
                && NetworkInterface.getByInetAddress(address) != null;
        if (!ofIp) {
            throw unavailable(
                    "the entry is no address of an interface, give the address itself (host): gid=" + gid + " file="
                            + entry);
        }
        return address;
    }

    private static byte[] bytes(String gid) throws IOException {
        String digits = gid.replace(":", "");
        if (digits.length() != 2 * IPV6_BYTES) {
            throw new IOException("not an address of a device: gid=" + gid);
        }
        return HexFormat.of().parseHex(digits);
    }

    private static RdmaUnavailableException unavailable(String message) {
        return new RdmaUnavailableException(Lack.DEVICE, message, null);
    }

    /**
     * Returns the names of the device's network interfaces. An Ethernet device names them in the entries of its GID
     * table. For InfiniBand they are the interfaces of the same card.
     */
    private static Stream<String> interfaces(Path device, RdmaAddress rdmaAddress) {
        Stream<String> ethernet = entries(port(device, rdmaAddress).resolve("gid_attrs/ndevs")).stream()
                .map(DeviceAddress::content)
                .flatMap(Optional::stream);
        Stream<String> infiniband = entries(device.resolve("device/net")).stream()
                .map(file -> file.getFileName().toString());
        return Stream.concat(ethernet, infiniband).distinct();
    }

    /** Returns the entries of a folder, sorted by name, or none if the folder does not exist. */
    static List<Path> entries(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException notThere) { // or no longer exists: devices come and go
            return List.of();
        }
    }

    /** Returns the content of one of the kernel's files, or nothing if it cannot be read. */
    static Optional<String> content(Path file) {
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException notInUse) { // the kernel refuses to show empty entries
            return Optional.empty();
        }
    }

    private static Stream<InetAddress> addresses(String name) {
        try {
            return Stream.ofNullable(NetworkInterface.getByName(name))
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(Inet4Address.class::isInstance);
        } catch (SocketException gone) { // the interface has gone since it was listed
            return Stream.empty();
        }
    }
}
