package io.atoll.fabric.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSession;

/**
 * A wire that TLS encrypts. Only this class knows the engine.
 *
 * <p>The engine has a lock of its own, for the thread that reads and the one that writes. If a stack overflows in the
 * engine, that lock may never be released. So a thread first takes the engine here, before it calls it. It gives the
 * engine back by a store, not by a call: there might be no room for a call. After an error no thread uses the engine
 * any more.
 */
final class TlsWire implements Wire {

    private static final String BINDING_LABEL = "EXPORTER-Channel-Binding"; // RFC 9266
    private static final int BINDING_BYTES = 32;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private static final int FREE = 0;
    private static final int USED = 1;
    private static final int SPOILED = 2;
    private static final AtomicIntegerFieldUpdater<TlsWire> STATE = AtomicIntegerFieldUpdater
            .newUpdater(TlsWire.class, "engineState");

    private final SocketChannel channel;
    private final SSLEngine engine;
    private volatile int engineState;
    private final Arena arena = Arena.ofShared(); // of the three buffers
    private final ByteBuffer arrived; // encrypted; ready to be read from
    private final ByteBuffer plain; // decrypted, for targets with less room than a record needs; ready to be read from
    private final ByteBuffer departing; // encrypted; ready to be read from
    private final int recordBytes;
    private final byte[] binding;

    /** Waits while the two ends agree on keys. */
    interface Waiting {

        /**
         * Waits until the channel is ready, if it does not block.
         *
         * @param interest as in {@link SelectionKey}
         */
        void await(int interest) throws IOException;

        /**
         * Throws if the time is over. This is checked before each step: if the other side always sends something,
         * {@link #await} is never called.
         */
        default void refuseIfOver() throws IOException {}
    }

    /**
     * Agrees on keys with the other end. If that fails, the channel is left open.
     *
     * @param waiting is called when the channel would block, and before each step
     */
    TlsWire(SocketChannel channel, SSLEngine engine, Waiting waiting) throws IOException {
        this.channel = channel;
        this.engine = engine;
        int packetBytes = engine.getSession().getPacketBufferSize();
        this.recordBytes = engine.getSession().getApplicationBufferSize();
        boolean isOver = false;
        try {
            this.arrived = arena.allocate(2L * packetBytes).asByteBuffer().limit(0);
            this.plain = arena.allocate(recordBytes).asByteBuffer().limit(0);
            this.departing = arena.allocate(packetBytes).asByteBuffer().limit(0);
            engine.beginHandshake();
            shakeHands(waiting);
            this.binding = exported((ExtendedSSLSession) engine.getSession());
            isOver = true;
        } catch (SSLException refused) {
            sendAlert(refused);
            throw refused;
        } finally {
            if (!isOver) {
                arena.close();
            }
        }
    }

    private static byte[] exported(ExtendedSSLSession session) throws SSLException {
        return session.exportKeyingMaterialData(BINDING_LABEL, new byte[0], BINDING_BYTES);
    }

    private void shakeHands(Waiting waiting) throws IOException {
        HandshakeStatus status = engine.getHandshakeStatus();
        while (status != HandshakeStatus.NOT_HANDSHAKING && status != HandshakeStatus.FINISHED) {
            waiting.refuseIfOver();
            switch (status) {
                case NEED_WRAP -> status = wrapped(waiting);
                case NEED_TASK -> {
                    runTasks();
                    status = engine.getHandshakeStatus();
                }
                default -> status = unwrapped(waiting);
            }
        }
    }

    /** Tells the other side why it is refused, if the socket takes that at once. */
    private void sendAlert(SSLException refused) {
        try {
            wrap(NOTHING);
            flush();
        } catch (IOException lost) {
            refused.addSuppressed(lost);
        }
    }

    private HandshakeStatus wrapped(Waiting waiting) throws IOException {
        SSLEngineResult result = wrap(NOTHING);
        while (!flush()) {
            waiting.await(SelectionKey.OP_WRITE);
        }
        refuseIfClosed(result);
        return result.getHandshakeStatus();
    }

    private HandshakeStatus unwrapped(Waiting waiting) throws IOException {
        SSLEngineResult result = unwrapToPlain();
        if (result.getStatus() == Status.BUFFER_UNDERFLOW && !receive()) {
            waiting.await(SelectionKey.OP_READ);
        }
        refuseIfClosed(result);
        return result.getHandshakeStatus();
    }

    private static void refuseIfClosed(SSLEngineResult result) throws EOFException {
        if (result.getStatus() == Status.CLOSED) {
            throw new EOFException("the other side has ended the encryption");
        }
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    @Override
    public SocketChannel channel() {
        return channel;
    }

    SSLSession session() {
        return engine.getSession();
    }

    @Override
    public byte[] binding() {
        return binding.clone();
    }

    // --- reading ---

    @Override
    public int read(ByteBuffer target) throws IOException {
        int before = target.position();
        boolean mayReceive = true;
        while (target.hasRemaining()) {
            if (plain.hasRemaining()) {
                takePlain(target);
                continue;
            }
            SSLEngineResult result = target.remaining() >= recordBytes ? unwrap(target) : unwrapToPlain();
            if (result.getStatus() == Status.CLOSED) {
                return target.position() > before ? target.position() - before : -1;
            }
            if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
                runTasks();
            }
            if (result.getStatus() == Status.OK && result.bytesConsumed() == 0 && result.bytesProduced() == 0) {
                break;
            }
            if (result.getStatus() == Status.BUFFER_UNDERFLOW) {
                // One read of the socket is enough, as with bytes that are not encrypted.
                if (!mayReceive || target.position() > before || !receive()) {
                    break;
                }
                mayReceive = false;
            }
        }
        return target.position() - before;
    }

    private void takePlain(ByteBuffer target) {
        int bytes = Math.min(plain.remaining(), target.remaining());
        target.put(target.position(), plain, plain.position(), bytes);
        target.position(target.position() + bytes);
        plain.position(plain.position() + bytes);
    }

    @Override
    public boolean hasMore() {
        return plain.hasRemaining();
    }

    private SSLEngineResult unwrapToPlain() throws IOException {
        plain.clear();
        try {
            return unwrap(plain);
        } finally {
            plain.flip();
        }
    }

    private SSLEngineResult unwrap(ByteBuffer target) throws SSLException {
        return ask(false, arrived, target);
    }

    /**
     * Calls the engine. The buffers have room for every record that TLS allows. If the other side announces a larger
     * one, the engine would ask for more room over and over.
     */
    private SSLEngineResult ask(boolean wraps, ByteBuffer source, ByteBuffer target) throws SSLException {
        takeEngine();
        int next = SPOILED;
        try {
            SSLEngineResult result = wraps ? engine.wrap(source, target) : engine.unwrap(source, target);
            next = FREE;
            if (result.getStatus() == Status.BUFFER_OVERFLOW) {
                throw new SSLException("the other side has announced a record that is larger than TLS allows");
            }
            return result;
        } catch (SSLException | RuntimeException refused) {
            next = FREE;
            throw refused;
        } finally {
            engineState = next;
        }
    }

    private void takeEngine() throws SSLException {
        while (!STATE.compareAndSet(this, FREE, USED)) {
            if (engineState == SPOILED) {
                throw new SSLException("an error in a thread that used the connection");
            }
            Thread.yield(); // for microseconds; the other thread may be a virtual thread that needs the same carrier
        }
    }

    /** Reads from the socket. Returns false if there is nothing yet. */
    private boolean receive() throws IOException {
        arrived.compact();
        int bytes;
        try {
            bytes = channel.read(arrived);
        } finally {
            arrived.flip();
        }
        if (bytes < 0) {
            throw new EOFException("the other side has ended the connection");
        }
        return bytes > 0;
    }

    // --- writing ---

    @Override
    public boolean write(ByteBuffer source) throws IOException {
        while (flush() && source.hasRemaining()) {
            refuseIfClosed(wrap(source));
        }
        return !source.hasRemaining() && !departing.hasRemaining();
    }

    private SSLEngineResult wrap(ByteBuffer source) throws IOException {
        departing.clear();
        try {
            return ask(true, source, departing);
        } finally {
            departing.flip();
        }
    }

    private boolean flush() throws IOException {
        if (departing.hasRemaining()) {
            channel.write(departing);
        }
        return !departing.hasRemaining();
    }

    /** Frees the memory at once: the garbage collector does not know that memory outside its heap is scarce. */
    @Override
    public synchronized void close() throws IOException {
        try {
            channel.close();
        } finally {
            if (arena.scope().isAlive()) {
                arena.close();
            }
        }
    }
}
