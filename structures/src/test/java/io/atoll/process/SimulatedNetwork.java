package io.atoll.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A network between hosts that are network namespaces of this machine. Packets are late, get lost and overtake each
 * other as a test says, and the network can be cut, also in one direction only. Needs root and a C compiler.
 */
public final class SimulatedNetwork implements AutoCloseable {

    private static final Path DEVICE = Path.of("/dev/net/tun");

    private final Process process;
    private final BufferedReader answers;
    private final Writer commands;
    private final String[] spaces; // the process that has the namespaces, and its descriptors of them

    /** @param folder for the program */
    public SimulatedNetwork(Path folder, int hosts) throws IOException {
        this.process = new ProcessBuilder(CProgram.compile("network", SimulatedNetwork.class, folder).toString(),
                "" + hosts)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        this.answers = process.inputReader();
        this.commands = process.outputWriter();
        this.spaces = hear().split(" ");
    }

    /** Returns what is missing for a network on this machine. */
    public static Optional<String> lack() {
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("network namespaces need root: run the tests as root");
        }
        if (!Files.exists(DEVICE)) {
            return Optional.of("the kernel offers no TUN devices: missing=" + DEVICE);
        }
        return CProgram.lack();
    }

    private String hear() throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the network has ended, see what it has printed");
        }
        return line;
    }

    private void tell(String command) {
        try {
            commands.write(command + "\n");
            commands.flush();
            hear();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Returns the words before a command that is to run on that host. */
    public List<String> within(int host) {
        return List.of("nsenter", "--net=/proc/" + spaces[0] + "/fd/" + spaces[1 + host]);
    }

    public String address(int host) {
        return "10.98.0." + (host + 1);
    }

    /** Packets take so long from one host to another. */
    public void delay(long millis) {
        tell("delay " + 1000 * millis);
    }

    /** So many of 10,000 packets are lost. */
    public void lose(int perTenThousand) {
        tell("lose " + perTenThousand);
    }

    /** So many of 10,000 packets are overtaken by others. */
    public void reorder(int perTenThousand) {
        tell("reorder " + perTenThousand);
    }

    /** What one host sends arrives at the other no more, until the network is healed. */
    public void cut(int from, int to) {
        tell("cut " + from + " " + to);
    }

    /** Of what one host sends, what is from or to one of these ports arrives at the other no more. */
    public void cut(int from, int to, int firstPort, int lastPort) {
        tell("cut " + from + " " + to + " " + firstPort + " " + lastPort);
    }

    public void heal() {
        tell("heal");
    }

    @Override
    public void close() throws IOException {
        try (InputStream _ = process.getInputStream()) {
            process.destroyForcibly().onExit().join();
        }
    }
}
