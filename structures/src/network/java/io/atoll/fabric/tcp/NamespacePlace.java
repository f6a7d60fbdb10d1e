package io.atoll.fabric.tcp;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.atoll.fabric.tcp.AddingRanks.Place;
import io.atoll.process.SimulatedNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Two network namespaces, each with a TCP of its own, and the network between them. Needs root. */
final class NamespacePlace implements Place, AutoCloseable {

    private static final int CALLER = 0;
    private static final int OWNER = AddingProgram.OWNER;

    private final SimulatedNetwork network;
    private final int mostThreads;
    private final boolean encrypts;

    private NamespacePlace(SimulatedNetwork network, int mostThreads, boolean encrypts) {
        this.network = network;
        this.mostThreads = mostThreads;
        this.encrypts = encrypts;
    }

    /**
     * Creates the namespaces. Skips the test if that is impossible.
     *
     * @param mostThreads how many connections the owner serves by threads of their own
     */
    static NamespacePlace create(Path folder, int mostThreads, boolean encrypts) throws IOException {
        Optional<String> lack = SimulatedNetwork.lack();
        assumeTrue(lack.isEmpty(), () -> lack.orElse(""));
        SimulatedNetwork network = new SimulatedNetwork(Files.createDirectories(folder.resolve("network")), 2);
        return new NamespacePlace(network, mostThreads, encrypts);
    }

    SimulatedNetwork network() {
        return network;
    }

    /** Stops the delivery of requests, answers or both. Neither side is told. */
    void cut(boolean requests, boolean answers) {
        if (requests) {
            network.cut(CALLER, OWNER);
        }
        if (answers) {
            network.cut(OWNER, CALLER);
        }
    }

    @Override
    public List<String> within(int rank) {
        return network.within(rank);
    }

    @Override
    public String bind(int rank) {
        return network.address(rank);
    }

    @Override
    public List<String> wayTo(String host, int port) {
        return List.of(host, "" + port);
    }

    @Override
    public int mostThreads() {
        return mostThreads;
    }

    @Override
    public boolean encrypts() {
        return encrypts;
    }

    @Override
    public void close() throws IOException {
        network.close();
    }
}
