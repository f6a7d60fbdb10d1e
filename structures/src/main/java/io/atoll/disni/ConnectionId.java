package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The connection manager's identifier of one connection, or of one place to listen. It is the socket of RDMA.
 * <pre>
 *   rdma_cm_id:  0       8         16        24   32                       160                      288
 *                +-------+---------+---------+----+------------------------+------------------------+--
 *                | verbs | channel | context | qp |    route.addr.src_     |    route.addr.dst_     |
 *                |       |         |         |    |        storage         |        storage         |
 *                +-------+---------+---------+----+------------------------+------------------------+--
 *                288    344   348        352
 *              --+--//--+-----+----------+--//--
 *                |      | ps  | port_num |
 *              --+--//--+-----+----------+--//--
 * </pre>
 */
@SuppressWarnings("restricted") // The struct is reached through the pointer that C returned.
public final class ConnectionId extends RdmaCmId {

    private static final MemoryLayout SOCKET_ADDRESS = MemoryLayout.sequenceLayout(SocketAddresses.LONGEST_BYTES,
            JAVA_BYTE);

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            ADDRESS.withName("verbs"), // null until an address tells which device
            ADDRESS.withName("channel"), //
            ADDRESS.withName("context"), //
            ADDRESS.withName("qp"), // null until it is created
            MemoryLayout.structLayout( //
                    MemoryLayout.structLayout( //
                            SOCKET_ADDRESS.withName("src_storage"), //
                            SOCKET_ADDRESS.withName("dst_storage"), //
                            Offsets.unused(40)).withName("addr"),
                    Offsets.unused(16)).withName("route"),
            JAVA_INT.withName("ps"), //
            JAVA_BYTE.withName("port_num")) // of the device, from 1
            .withName("rdma_cm_id");

    private static final long DEVICE = Offsets.of(LAYOUT, "verbs");
    private static final long QUEUE_PAIR = Offsets.of(LAYOUT, "qp");
    private static final long SOURCE = Offsets.of(LAYOUT, "route", "addr", "src_storage");
    private static final long DESTINATION = Offsets.of(LAYOUT, "route", "addr", "dst_storage");

    private final EventChannel channel;
    private final Rdmacm library;
    private final MemorySegment pointer;

    ConnectionId(EventChannel channel, MemorySegment pointer) throws IOException {
        super(channel, null);
        this.channel = channel;
        this.library = channel.library();
        this.pointer = pointer.reinterpret(LAYOUT.byteSize());
        this.ps = this.pointer.get(JAVA_INT, Offsets.of(LAYOUT, "ps"));
    }

    /** @param portSpace one of the port spaces of {@link com.ibm.disni.verbs.RdmaCm} */
    public static ConnectionId create(EventChannel channel, short portSpace) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment place = arena.allocate(ADDRESS);
            channel.library().createId.check(channel.pointer(), place, MemorySegment.NULL, (int) portSpace);
            ConnectionId id = new ConnectionId(channel, place.get(ADDRESS, 0));
            channel.add(id);
            return id;
        }
    }

    long address() {
        return pointer.address();
    }

    private MemorySegment pointer() throws IOException {
        if (!isOpen()) {
            throw new IOException("the connection identifier was destroyed");
        }
        return pointer;
    }

    /** Returns the device. Returns null until binding to or resolving an address has told which one it is. */
    @Override
    public @Nullable IbvContext getVerbs() throws IOException {
        if (verbs == null) {
            MemorySegment device = pointer().get(ADDRESS, DEVICE);
            if (device.address() != 0) {
                setVerbs(DeviceContext.of(device));
            }
        }
        return verbs;
    }

    @Override
    public byte getPort_num() {
        return isOpen() ? pointer.get(JAVA_BYTE, Offsets.of(LAYOUT, "port_num")) : 0;
    }

    @Override
    public void bindAddr(SocketAddress address) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            library.bind.check(pointer(), SocketAddresses.write(address, arena));
        }
    }

    @Override
    public void listen(int backlog) throws IOException {
        library.listen.check(pointer(), backlog);
    }

    /** Begins to find out which device reaches the destination. An event reports the result. */
    @Override
    public void resolveAddr(@Nullable SocketAddress source, SocketAddress destination, int timeoutMillis)
            throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            library.resolveAddress.check(pointer(), SocketAddresses.write(source, arena),
                    SocketAddresses.write(destination, arena), timeoutMillis);
        }
    }

    /** Begins to find the path to the destination. An event reports the result. */
    @Override
    public void resolveRoute(int timeoutMillis) throws IOException {
        library.resolveRoute.check(pointer(), timeoutMillis);
    }

    /** Begins to connect. An event reports the result. */
    @Override
    public void connect(RdmaConnParam parameters) throws IOException {
        call(library.connect, parameters);
    }

    /** Accepts the request that this identifier came with. An event reports when the connection is established. */
    @Override
    public void accept(RdmaConnParam parameters) throws IOException {
        call(library.accept, parameters);
    }

    private void call(NativeFunction function, RdmaConnParam parameters) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment struct = arena.allocate(ConnectionParameters.LAYOUT);
            ConnectionParameters.write(parameters, struct);
            function.check(pointer(), struct);
        }
    }

    /**
     * Refuses the request that this identifier came with. The requester receives an event with the reason as its
     * private data.
     */
    public void reject(MemorySegment reason) throws IOException {
        library.reject.check(pointer(), reason, (byte) reason.byteSize());
    }

    /** Returns 0 or the error number: the peer may have disconnected already. */
    @Override
    public int disconnect() throws IOException {
        return library.disconnect.error(pointer());
    }

    /**
     * Creates the queue pair of this connection. Replaces the capacities in the attributes by those that the device
     * granted.
     */
    @Override
    public QueuePair createQP(IbvPd domain, IbvQPInitAttr attributes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment struct = arena.allocate(QueuePairAttributes.LAYOUT);
            QueuePairAttributes.write(attributes, struct);
            library.createQueuePair.check(pointer(), ((ProtectionDomain) domain).pointer(), struct);
            QueuePairAttributes.readCapacity(struct, attributes);
        }
        QueuePair queuePair = new QueuePair(pointer.get(ADDRESS, QUEUE_PAIR), (ProtectionDomain) domain, attributes);
        setQp(queuePair);
        return queuePair;
    }

    /**
     * Destroys the queue pair. The peer no longer reaches anything through it. Verbs that the peer had under way end
     * with an error there.
     */
    @Override
    public int destroyQP() throws IOException {
        if (getQp() == null || !getQp().isOpen()) {
            throw new IOException("there is no queue pair to destroy");
        }
        library.destroyQueuePair.run(pointer());
        getQp().close();
        return 0;
    }

    /** Returns 0 or the error number. The queue pair must have been destroyed. */
    @Override
    public int destroyId() throws IOException {
        int error = library.destroyId.error(pointer());
        if (error == 0) {
            release();
        }
        return error;
    }

    /** Destroys the identifier with its queue pair. */
    @Override
    public int destroyEp() throws IOException {
        library.destroyEndpoint.run(pointer());
        if (getQp() != null) {
            getQp().close();
        }
        release();
        return 0;
    }

    private void release() {
        close();
        channel.remove(this);
    }

    /** Returns null if it has no address yet. */
    @Override
    public @Nullable InetSocketAddress getSource() throws IOException {
        return SocketAddresses.read(pointer().asSlice(SOURCE, SocketAddresses.LONGEST_BYTES));
    }

    /** Returns null if it has no address yet. */
    @Override
    public @Nullable InetSocketAddress getDestination() throws IOException {
        return SocketAddresses.read(pointer().asSlice(DESTINATION, SocketAddresses.LONGEST_BYTES));
    }
}
