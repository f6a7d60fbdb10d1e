package io.atoll.fabric.tcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A wire without encryption that calls the C library. A channel of the JDK either never blocks, or is closed by an
 * interrupt of the thread that it blocks. A call of the C library says for itself if it waits, and knows no interrupts.
 *
 * <p>The socket blocks, though its channel does not know. So nobody may read or write by the channel any more.
 * Selectors may still wait for it. The buffers are direct ones.
 */
final class NativeWire extends PlainWire implements WaitingWire {

    private static final Logger LOG = LoggerFactory.getLogger(NativeWire.class);

    private static final long WAIT_MILLIS = 250;
    private static final int END = -1; // as a channel tells it
    private static final int WAITS = 0; // no flag

    private final int descriptor;
    private final Direction reading = new Direction();
    private final Direction writing = new Direction();

    /** What one thread at a time uses to read, or to write. */
    private static final class Direction {
        private final MemorySegment state = SocketCalls.allocateState(Arena.ofAuto()); // the place for errno
        private @Nullable ByteBuffer last;
        private long beginning;

        /**
         * Returns where what remains of a buffer begins. An array has no address that C could use. The address of the
         * last buffer is kept. To ask for it allocates, unless the compiler sees that it need not, and a lane has one
         * buffer for each direction.
         */
        private long address(ByteBuffer buffer) {
            if (buffer != last) {
                if (!buffer.isDirect()) {
                    throw new IllegalArgumentException("C cannot use an array: buffer=" + buffer);
                }
                beginning = MemorySegment.ofBuffer(buffer).address() - buffer.position();
                last = buffer;
            }
            return beginning + buffer.position();
        }
    }

    private NativeWire(SocketChannel channel, int descriptor) {
        super(channel);
        this.descriptor = descriptor;
    }

    /**
     * Returns a wire of the same connection that can wait. Returns the same wire if this process cannot call the C
     * library, does not find the socket, or if the wire encrypts.
     *
     * @param wire connected; its channel does not block
     */
    static Wire of(Wire wire) throws IOException {
        return of(wire, SocketCalls.DESCRIPTORS);
    }

    static Wire of(Wire wire, Path descriptors) throws IOException {
        int descriptor = wire.getClass() == PlainWire.class
                ? descriptor(wire.channel(), descriptors)
                : SocketCalls.NONE;
        if (descriptor == SocketCalls.NONE) {
            return wire;
        }
        SocketCalls.letWait(descriptor, WAIT_MILLIS);
        NativeWire made = new NativeWire(wire.channel(), descriptor);
        made.link();
        return made;
    }

    /** Returns the socket's descriptor, or {@link SocketCalls#NONE} if this process cannot call the C library. */
    private static int descriptor(SocketChannel channel, Path descriptors) throws IOException {
        try {
            return SocketCalls.ARE_POSSIBLE ? SocketCalls.descriptor(channel, descriptors) : SocketCalls.NONE;
        } catch (LinkageError missing) {
            // A function is missing. Or the stack or the memory was full when they were looked for, which the JVM tries
            // once only.
            LOG.warn("a connection waits by a selector, since the C library cannot be called: {}", missing.toString());
            return SocketCalls.NONE;
        } catch (UncheckedIOException unlisted) {
            // To list the descriptors takes one more, and the process may have none left.
            LOG.warn("a connection waits by a selector, since its descriptor cannot be found: {}",
                    unlisted.getCause().toString());
            return SocketCalls.NONE;
        }
    }

    /** Makes each call for no bytes. The JVM links a call once, and needs more of the stack for it than a call does. */
    private void link() throws IOException {
        SocketCalls.receive(reading.state, descriptor, 0, 0, SocketCalls.WAITS_NEVER);
        SocketCalls.send(writing.state, descriptor, 0, 0);
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
        int bytes = SocketCalls.receive(reading.state, descriptor, reading.address(target), target.remaining(),
                flags);
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
            int bytes = SocketCalls.send(writing.state, descriptor, writing.address(source),
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
