package io.atoll.world.hazelcast;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Random;
import java.util.stream.IntStream;

/** Ports for a test, below those that the system gives to outgoing connections. */
public final class FreePorts {

    private static final int FIRST = 20_000;
    private static final int LAST = 32_000;

    private FreePorts() {}

    /** Returns the first of that many consecutive ports at which no process listens. */
    public static int range(int count) {
        return new Random().ints(1000, FIRST, LAST - count)
                .filter(first -> IntStream.range(first, first + count).allMatch(FreePorts::isFree))
                .findFirst()
                .orElseThrow();
    }

    public static boolean isFree(int port) {
        try (ServerSocket server = new ServerSocket()) {
            server.setReuseAddress(true);
            server.bind(new InetSocketAddress("127.0.0.1", port));
            return true;
        } catch (IOException taken) {
            return false;
        }
    }
}
