package io.atoll.fabric.tcp;

import io.atoll.fabric.Attachment;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A network between two ranks, which can fall silent and break. Bytes pass through it in both directions. */
final class Relay implements AutoCloseable {

    private final ServerSocket server = new ServerSocket();
    private final InetSocketAddress owner;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile boolean answersAreLost;
    private volatile boolean isSilent;
    private volatile CountDownLatch delivery = new CountDownLatch(0); // opens when requests of new connections may pass
    private boolean requestsAreHeld; // guarded by this
    private boolean answersAreHeld; // guarded by this

    Relay(Attachment owner) throws IOException {
        this(new InetSocketAddress(owner.address().get("tcp.host"),
                Integer.parseInt(owner.address().get("tcp.port"))));
    }

    Relay(InetSocketAddress owner) throws IOException {
        this.owner = owner;
        server.bind(new InetSocketAddress("localhost", 0));
        Thread.ofPlatform().daemon().start(this::accept);
    }

    /** Returns where the owner is reached through the relay. */
    Map<String, String> address() {
        return Map.of("tcp.host", "localhost", "tcp.port", String.valueOf(server.getLocalPort()));
    }

    /** Returns how many connections there ever were. */
    int connections() {
        return sockets.size() / 2;
    }

    private void accept() {
        try {
            while (true) {
                accept(server.accept());
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void accept(Socket near) throws IOException {
        Socket far = new Socket();
        try {
            far.connect(owner);
            near.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
        } catch (SocketException gone) {
            try (near; far) {
                return; // one of the two is not there
            }
        }
        sockets.addAll(List.of(near, far));
        CountDownLatch delay = delivery;
        Thread.ofPlatform().daemon().start(() -> pass(near, far, false, delay));
        Thread.ofPlatform().daemon().start(() -> pass(far, near, true, new CountDownLatch(0)));
    }

    private void pass(Socket from, Socket to, boolean answers, CountDownLatch delay) {
        byte[] bytes = new byte[1 << 16];
        try (from; to) {
            InputStream in = from.getInputStream();
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                await(delay);
                awaitPassage(answers);
                if (!isSilent && !(answers && answersAreLost)) {
                    to.getOutputStream().write(bytes, 0, read);
                }
            }
        } catch (IOException broken) {
            // Both are closed.
        }
    }

    private static void await(CountDownLatch delay) throws IOException {
        try {
            delay.await();
        } catch (InterruptedException end) {
            throw new IOException(end);
        }
    }

    private synchronized void awaitPassage(boolean answers) throws IOException {
        while (answers ? answersAreHeld : requestsAreHeld) {
            try {
                wait();
            } catch (InterruptedException end) {
                throw new IOException(end);
            }
        }
    }

    /**
     * Stops the delivery of requests or answers that are held, without telling either side. Delivers the others.
     * Nothing gets lost: TCP repeats what a cut network loses.
     */
    synchronized void hold(boolean requests, boolean answers) {
        requestsAreHeld = requests;
        answersAreHeld = answers;
        notifyAll();
    }

    /**
     * Delays the requests of connections that are made from now on, until the latch is open. The next call sets another
     * latch for later connections.
     */
    void delayNewConnections(CountDownLatch latch) {
        delivery = latch;
    }

    /** From now on requests arrive, and answers do not. */
    void loseAnswers() {
        answersAreLost = true;
    }

    /** From now on nothing arrives, and neither side is told. */
    void fallSilent() {
        isSilent = true;
    }

    /** From now on everything arrives. What was lost stays lost. */
    void heal() {
        answersAreLost = false;
        isSilent = false;
    }

    /** Resets every connection. */
    void reset() {
        for (Socket socket : sockets) {
            try (socket) {
                socket.setSoLinger(true, 0);
            } catch (IOException closed) {
                // The other side was first.
            }
        }
        sockets.clear();
    }

    @Override
    public void close() throws IOException {
        server.close();
        hold(false, false);
        reset();
    }
}
