package io.atoll.fabric.rdma;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The RDMA devices of the machine that the tests run on. */
public final class RdmaDevice {

    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    private RdmaDevice() {}

    public static boolean isPresent() {
        return !names().isEmpty();
    }

    public static List<String> names() {
        if (!Files.isDirectory(DEVICES)) {
            return List.of();
        }
        try (Stream<Path> devices = Files.list(DEVICES)) {
            return devices.map(device -> device.getFileName().toString()).sorted().toList();
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot look for RDMA devices: folder=" + DEVICES, failure);
        }
    }

    /** Returns an address of the first device that has one. */
    public static InetAddress address() {
        return names().stream()
                .flatMap(RdmaDevice::interfaces)
                .flatMap(RdmaDevice::addresses)
                .findFirst()
                .orElseThrow(
                        () -> new IllegalStateException("no RDMA device has an address of IPv4: devices=" + names()));
    }

    private static Stream<String> interfaces(String device) {
        try (Stream<Path> files = Files.walk(DEVICES.resolve(device).resolve("ports/1/gid_attrs/ndevs"))) {
            return files.filter(Files::isRegularFile)
                    .map(RdmaDevice::content)
                    .flatMap(Optional::stream)
                    .distinct()
                    .toList()
                    .stream();
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot look for a device's interfaces: device=" + device, failure);
        }
    }

    // Reads a file of the kernel, which refuses to show unused entries.
    private static Optional<String> content(Path file) {
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException unused) {
            return Optional.empty();
        }
    }

    private static Stream<InetAddress> addresses(String name) {
        try {
            return Stream.ofNullable(NetworkInterface.getByName(name))
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(Inet4Address.class::isInstance);
        } catch (SocketException failure) {
            throw new UncheckedIOException("cannot look at an interface: name=" + name, failure);
        }
    }
}
