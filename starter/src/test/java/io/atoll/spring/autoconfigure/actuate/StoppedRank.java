package io.atoll.spring.autoconfigure.actuate;

import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.link.Addresses;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.fabric.tcp.Tcp;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * A rank of a TCP world in a process of its own, which can stand still. The process ends when its input ends, and so
 * when the test ends.
 */
final class StoppedRank implements AutoCloseable {

    static final String WORLD = "stopped-rank";
    static final long SEGMENT_BYTES = 4 << 20;

    private final Process process;

    /** @param addresses the addresses of all ranks, as in the properties */
    StoppedRank(int rank, String addresses, Path folder) throws IOException {
        process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m",
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), StoppedRank.class.getName(), Integer.toString(rank), addresses,
                Files.createDirectories(folder).toString()).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Runs the rank until the input ends. */
    public static void main(String[] arguments) throws Exception {
        List<String> addresses = Arrays.asList(arguments[1].split(","));
        FabricType fabric = new Tcp(new SharedMemory(Path.of(arguments[2]), false)).withoutSharedMemory()
                .at(addresses.stream().map(Addresses::parse).toList());
        try (World _ = World.named(WORLD)
                .size(addresses.size())
                .rank(Integer.parseInt(arguments[0]))
                .segment(SEGMENT_BYTES)
                .fabric(fabric)
                .open()) {
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }

    /** Stops the process. Its kernel accepts connections all the same. */
    void stop() throws Exception {
        signal("STOP");
        await().atMost(Duration.ofMinutes(1)).until(() -> state() == 'T');
    }

    void goOn() throws Exception {
        signal("CONT");
    }

    private void signal(String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).inheritIO().start().waitFor();
    }

    /** Returns the state of the process. In the kernel's text, it follows the name of the program. */
    private char state() throws IOException {
        String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
        return stat.charAt(stat.lastIndexOf(')') + 2);
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
