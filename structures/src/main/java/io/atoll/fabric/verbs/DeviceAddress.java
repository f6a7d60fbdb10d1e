package io.atoll.fabric.verbs;

import io.atoll.fabric.verbs.provider.resource.MissingDevice;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds an address by which an RDMA device of this machine is reached, as the kernel shows its network interfaces. */
final class DeviceAddress {

    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    private DeviceAddress() {}

    /** @throws io.atoll.fabric.verbs.provider.foreign.RdmaUnavailableException when there is no device, with what is missing */
    static InetAddress first() throws IOException {
        if (!Files.isDirectory(DEVICES)) {
            throw MissingDevice.explain(null);
        }
        try (Stream<Path> devices = Files.list(DEVICES)) {
            for (Path device : devices.sorted().toList()) {
                Optional<InetAddress> address = interfaces(device).flatMap(DeviceAddress::addresses).findFirst();
                if (address.isPresent()) {
                    return address.get();
                }
            }
        }
        throw new IOException(
                "no RDMA device has an address of IPv4; look with: rdma link; ip address: folder=" + DEVICES);
    }

    /** Of Ethernet by the entries of its GID table, of InfiniBand by the interfaces of the same card. */
    private static Stream<String> interfaces(Path device) throws IOException {
        Stream<String> ethernet = files(device.resolve("ports/1/gid_attrs/ndevs")).map(DeviceAddress::content)
                .flatMap(Optional::stream);
        Stream<String> infiniband = files(device.resolve("device/net")).map(file -> file.getFileName().toString());
        return Stream.concat(ethernet, infiniband).distinct();
    }

    private static Stream<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return Stream.empty();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList().stream();
        }
    }

    private static Optional<String> content(Path file) {
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException notInUse) { // the kernel refuses to show entries that are empty
            return Optional.empty();
        }
    }

    private static Stream<InetAddress> addresses(String name) {
        try {
            return Stream.ofNullable(NetworkInterface.getByName(name))
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(Inet4Address.class::isInstance);
        } catch (SocketException gone) { // between listing and asking
            return Stream.empty();
        }
    }
}
