package io.atoll.fabric.tcp;

import io.atoll.fabric.Clock;
import io.atoll.memory.LocalMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;

/** Both ends of a connection: that of a lane, whose reads are counted, and that of its owner. */
final class Ends extends PlainWire {

    private final SocketChannel far;
    private final AtomicInteger reads = new AtomicInteger();
    private final TcpLane lane;

    private Ends(SocketChannel near, SocketChannel far, LaneReader reader, LaneKeeper keeper, Clock clock)
            throws IOException {
        super(near);
        this.far = far;
        near.configureBlocking(false);
        this.lane = new TcpLane(1, 64, this, reader, keeper, clock);
    }

    static Ends connect(LaneReader reader, LaneKeeper keeper, Clock clock) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            return new Ends(SocketChannel.open(server.getLocalAddress()), server.accept(), reader, keeper, clock);
        }
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        reads.incrementAndGet();
        return super.read(target);
    }

    TcpLane lane() {
        return lane;
    }

    /** Returns how often the lane has read. */
    int reads() {
        return reads.get();
    }

    /** Returns the exchange by which the owner executes what has arrived. */
    Exchange exchange(LocalMemory segment) {
        return new Exchange(new PlainWire(far), segment);
    }

    /** Lets the owner answer until the connection is closed. */
    void serve(LocalMemory segment) {
        Thread.ofPlatform().daemon().start(() -> {
            try (Arena arena = Arena.ofConfined()) {
                Room room = Room.allocate(arena);
                Exchange exchange = exchange(segment);
                while (exchange.read(room)) {
                    boolean isAnswered = false;
                    while (!isAnswered) {
                        isAnswered = exchange.answer(room);
                    }
                }
            } catch (IOException closed) {
                // The connection is closed, so this thread ends.
            }
        });
    }

    /** Closes the lane, and the other end. */
    void end() throws IOException {
        lane.close("the test is over");
        far.close();
    }
}
