package io.atoll.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A wire without encryption that calls the C library. A channel of the JDK either never blocks, or is closed by an
 * interrupt of the thread that it blocks. A call of the C library says for itself if it waits, and knows no interrupts.
 *
 * <p>The socket blocks, though its channel does not know. So nobody may read or write by the channel any more.
 * Selectors may still wait for it. The buffers are direct ones.
 */
final class NativeWire extends PlainWire implements WaitingWire {

    private static final long WAIT_MILLIS = 250;
    private static final int END = -1; // as a channel tells it
    private static final int WAITS = 0; // no flag

    private final int descriptor;
    // The places for errno of the thread that reads, and of the thread that writes.
    private final MemorySegment reading = SocketCalls.allocateState(Arena.ofAuto());
    private final MemorySegment writing = SocketCalls.allocateState(Arena.ofAuto());

    private NativeWire(SocketChannel channel, int descriptor) {
        super(channel);
        this.descriptor = descriptor;
    }

    /**
     * Returns a wire of the same connection that can wait. Returns the same wire if this process cannot call the C
     * library, or if the wire encrypts.
     *
     * @param wire connected; its channel does not block
     */
    static Wire of(Wire wire) throws IOException {
        if (wire.getClass() != PlainWire.class || !SocketCalls.ARE_POSSIBLE) {
            return wire;
        }
        int descriptor = SocketCalls.descriptor(wire.channel());
        if (descriptor == SocketCalls.NONE) {
            return wire;
        }
        SocketCalls.letWait(descriptor, WAIT_MILLIS);
        NativeWire made = new NativeWire(wire.channel(), descriptor);
        made.link();
        return made;
    }

    /** Makes each call for no bytes. The JVM links a call once, and needs more of the stack for it than a call does. */
    private void link() throws IOException {
        SocketCalls.receive(reading, descriptor, 0, 0, SocketCalls.WAITS_NEVER);
        SocketCalls.send(writing, descriptor, 0, 0);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        return receive(target, SocketCalls.WAITS_NEVER);
    }

    @Override
    public int await(ByteBuffer target) throws IOException {
        return receive(target, WAITS);
    }

    private int receive(ByteBuffer target, int flags) throws IOException {
        if (!target.hasRemaining()) {
            return 0;
        }
        int bytes = SocketCalls.receive(reading, descriptor, MemorySegment.ofBuffer(target).address(),
                target.remaining(), flags);
        if (bytes == 0) {
            return END;
        }
        int taken = Math.max(bytes, 0);
        target.position(target.position() + taken);
        return taken;
    }

    @Override
    public boolean write(ByteBuffer source) throws IOException {
        if (source.hasRemaining()) {
            int bytes = SocketCalls.send(writing, descriptor, MemorySegment.ofBuffer(source).address(),
                    source.remaining());
            source.position(source.position() + Math.max(bytes, 0));
        }
        return !source.hasRemaining();
    }

    @Override
    public void endWaits() {
        try {
            channel().shutdownInput();
        } catch (IOException closed) {
            // Its lane is closed, so no thread waits any more.
        }
    }
}
