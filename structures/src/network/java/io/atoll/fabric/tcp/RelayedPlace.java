package io.atoll.fabric.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Two ranks of this host. The caller reaches the owner through a relay. */
final class RelayedPlace implements AddingRanks.Place, AutoCloseable {

    private final @Nullable Path classes;
    private @Nullable Relay relay;

    RelayedPlace() {
        this(null);
    }

    /** @param classes that the processes use instead of those of the project */
    RelayedPlace(@Nullable Path classes) {
        this.classes = classes;
    }

    Relay relay() {
        if (relay == null) {
            throw new IllegalStateException("the ranks have not met");
        }
        return relay;
    }

    @Override
    public List<String> within(int rank) {
        return List.of();
    }

    @Override
    public @Nullable Path classes() {
        return classes;
    }

    @Override
    public String bind(int rank) {
        return "localhost";
    }

    @Override
    public List<String> wayTo(String host, int port) throws IOException {
        if (relay == null) {
            relay = new Relay(new InetSocketAddress(host, port));
        }
        return List.of("localhost", relay.address().get("tcp.port"));
    }

    @Override
    public void close() throws IOException {
        if (relay != null) {
            relay.close();
        }
    }
}
