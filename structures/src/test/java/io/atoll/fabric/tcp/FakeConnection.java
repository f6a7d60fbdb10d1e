package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.atoll.fabric.interleaving.Interleaving;
import io.atoll.memory.LocalMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelectionKey;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection in memory to an owner that executes frames. The channel, the selectors and the owner act in turns, as an
 * {@link Interleaving} decides. A socket holds few bytes, and takes and gives some at a time.
 */
final class FakeConnection {

    private final Random random;
    private final int capacity;
    private final FrameExecutor executor;
    private final Deque<Byte> requests = new ArrayDeque<>();
    private final Deque<Byte> answers = new ArrayDeque<>();
    private final Channel channel = new Channel();
    private boolean isReset;

    FakeConnection(LocalMemory segment, Random random) {
        this.random = random;
        this.capacity = random.nextBoolean() ? 8 + random.nextInt(50) : 400;
        this.executor = new FrameExecutor(segment);
    }

    SocketChannel channel() {
        return channel;
    }

    void reset() {
        isReset = true;
    }

    /** Acts as the owner. */
    void serve() {
        MemorySegment in = MemorySegment.ofArray(new long[1 << 10]);
        MemorySegment out = MemorySegment.ofArray(new long[1 << 10]);
        int end = 0;
        while (true) {
            Interleaving.await(() -> !requests.isEmpty() && !isReset);
            for (int left = 1 + random.nextInt(requests.size()); left > 0; left--) {
                in.set(JAVA_BYTE, end++, requests.remove());
            }
            Interleaving.step();
            end = execute(in, end, out);
        }
    }

    private int execute(MemorySegment in, int end, MemorySegment out) {
        int at = 0;
        while (end - at >= Frame.HEADER_BYTES && end - at >= in.get(JAVA_INT, at)) {
            int bytes;
            try {
                bytes = executor.execute(in, at, out, 0);
            } catch (MalformedFrameException malformed) {
                throw new AssertionError(malformed);
            }
            for (int answered = 0; answered < bytes; answered++) {
                answers.add(out.get(JAVA_BYTE, answered));
            }
            at += in.get(JAVA_INT, at);
            Interleaving.step();
        }
        MemorySegment.copy(in, at, in, 0, end - at);
        return end - at;
    }

    /** The socket. */
    private final class Channel extends SocketChannel {

        private Channel() {
            super(Provider.ONLY);
        }

        private int readyOperations() {
            return (!answers.isEmpty() || isReset ? SelectionKey.OP_READ : 0)
                    | (requests.size() < capacity || isReset ? SelectionKey.OP_WRITE : 0);
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            Interleaving.step();
            refuseIfReset();
            int bytes = 0;
            for (int left = 1 + random.nextInt(200); left > 0 && !answers.isEmpty(); left--) {
                target.put(answers.remove());
                bytes++;
            }
            return bytes;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            Interleaving.step();
            refuseIfReset();
            int bytes = 0;
            for (; source.hasRemaining() && requests.size() < capacity; bytes++) {
                requests.add(source.get());
            }
            return bytes;
        }

        private void refuseIfReset() throws IOException {
            if (isReset) {
                throw new IOException("reset");
            }
        }

        @Override
        protected void implCloseSelectableChannel() {}

        @Override
        protected void implConfigureBlocking(boolean blocks) {}

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public boolean isConnectionPending() {
            return false;
        }

        @Override
        public SocketChannel bind(@Nullable SocketAddress local) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> SocketChannel setOption(SocketOption<T> name, T value) {
            return this;
        }

        @Override
        public <T> T getOption(SocketOption<T> name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Set<SocketOption<?>> supportedOptions() {
            return Set.of();
        }

        @Override
        public SocketChannel shutdownInput() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketChannel shutdownOutput() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket socket() {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean connect(SocketAddress remote) {
            throw new AssertionError("it is connected");
        }

        @Override
        public boolean finishConnect() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketAddress getRemoteAddress() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketAddress getLocalAddress() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long read(ByteBuffer[] targets, int offset, int length) {
            throw new UnsupportedOperationException();
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) {
            throw new UnsupportedOperationException();
        }
    }

    /** Waits for channels of this class. */
    static final class FakeSelector extends AbstractSelector {

        private final List<Key> registered = new ArrayList<>();
        private boolean isWoken;

        private FakeSelector() {
            super(Provider.ONLY);
        }

        static Selector create() {
            return new FakeSelector();
        }

        @Override
        public int select(Consumer<SelectionKey> action, long timeoutMillis) {
            Interleaving.step();
            Interleaving.await(() -> isWoken || registered.stream().anyMatch(Key::isReady));
            return selectNow(action);
        }

        @Override
        public Selector wakeup() {
            Interleaving.step();
            isWoken = true;
            return this;
        }

        @Override
        public int selectNow(Consumer<SelectionKey> action) {
            isWoken = false;
            registered.stream().filter(Key::isReady).toList().forEach(action);
            return 0;
        }

        @Override
        protected SelectionKey register(AbstractSelectableChannel channel, int operations,
                @Nullable Object attachment) {
            Key key = new Key(this, (Channel) channel);
            key.interestOps(operations);
            key.attach(attachment);
            registered.add(key);
            return key;
        }

        @Override
        protected void implCloseSelector() {}

        @Override
        public Set<SelectionKey> keys() {
            return Set.copyOf(registered);
        }

        @Override
        public Set<SelectionKey> selectedKeys() {
            return Set.of();
        }

        @Override
        public int selectNow() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int select(long timeoutMillis) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int select() {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Key extends AbstractSelectionKey {

        private final FakeSelector selector;
        private final Channel channel;
        private int interest;

        private Key(FakeSelector selector, Channel channel) {
            this.selector = selector;
            this.channel = channel;
        }

        private boolean isReady() {
            return isValid() && (channel.readyOperations() & interest) != 0;
        }

        @Override
        public Channel channel() {
            return channel;
        }

        @Override
        public Selector selector() {
            return selector;
        }

        @Override
        public int interestOps() {
            return interest;
        }

        @Override
        public SelectionKey interestOps(int operations) {
            interest = operations;
            return this;
        }

        @Override
        public int readyOps() {
            return channel.readyOperations();
        }
    }

    private static final class Provider extends SelectorProvider {

        private static final Provider ONLY = new Provider();

        @Override
        public AbstractSelector openSelector() {
            return new FakeSelector();
        }

        @Override
        public DatagramChannel openDatagramChannel() {
            throw new UnsupportedOperationException();
        }

        @Override
        public DatagramChannel openDatagramChannel(ProtocolFamily family) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Pipe openPipe() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ServerSocketChannel openServerSocketChannel() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketChannel openSocketChannel() {
            throw new UnsupportedOperationException();
        }
    }
}
