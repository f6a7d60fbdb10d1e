package io.atoll.app.job;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;

/** The ranks of a {@link WaitingJob}, as the test meets them. */
final class Ranks implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 30_000;

    record Met(int rank, ProcessHandle process, Socket socket) {

        void goOn() throws IOException {
            socket.getOutputStream().write(1);
        }

        void kill() {
            process.destroyForcibly();
        }

        /** Returns when the process has ended. The kernel then closes its connection. */
        void awaitEnd() throws IOException {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            try {
                while (socket.getInputStream().read() >= 0) {
                    // Only the end matters.
                }
            } catch (SocketException reset) {
                // The connections of a killed process may end like this, too.
            }
        }
    }

    private final ServerSocket server;
    private final List<Met> met = new ArrayList<>();

    Ranks() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        server.setSoTimeout(TIMEOUT_MILLIS);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Returns when this many ranks are there, in the order of ranks. */
    List<Met> await(int count) throws IOException {
        while (met.size() < count) {
            Socket socket = server.accept();
            DataInputStream report = new DataInputStream(socket.getInputStream());
            met.add(new Met(report.readInt(), ProcessHandle.of(report.readLong()).orElseThrow(), socket));
        }
        met.sort((one, other) -> one.rank() - other.rank());
        return met;
    }

    @Override
    public void close() throws IOException {
        for (Met each : met) {
            each.socket().close();
        }
        server.close();
    }
}
