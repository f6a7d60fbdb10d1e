package io.atoll.fabric.rdma;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvQPInitAttr;
import com.ibm.disni.verbs.RdmaCm;
import io.atoll.disni.CompletionQueue;
import io.atoll.disni.ConnectionId;
import io.atoll.disni.DeviceAttributes;
import io.atoll.disni.DeviceAttributes.AtomicCapability;
import io.atoll.disni.DeviceContext;
import io.atoll.disni.EventChannel;
import io.atoll.disni.MemoryRegion;
import io.atoll.disni.ProtectionDomain;
import io.atoll.disni.QueuePair;
import io.atoll.disni.RdmaUnavailableException;
import io.atoll.disni.RdmaUnavailableException.Lack;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The device by which this rank reaches others and is reached by them. It is found by the address at which the rank
 * listens.
 */
final class Device implements AutoCloseable {

    /** The access that other ranks have to a segment. */
    public static final int SHARED = IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE
            | IbvMr.IBV_ACCESS_REMOTE_READ | IbvMr.IBV_ACCESS_REMOTE_ATOMIC;

    private static final int SOFT_ROCE_VENDOR = 0xFFFFFF;
    private static final int BACKLOG = 128;
    private static final int INLINE_BYTES = 64;

    private final EventChannel events;
    private final ConnectionId listening;
    private final DeviceContext context;
    private final ProtectionDomain domain;
    private final DeviceAttributes attributes;
    private final InetSocketAddress address;

    private Device(EventChannel events, ConnectionId listening) throws IOException {
        this.events = events;
        this.listening = listening;
        this.address = Objects.requireNonNull(listening.getSource());
        // If no device has the address, binding succeeds but yields no device.
        if (!(listening.getVerbs() instanceof DeviceContext found)) {
            throw new RdmaUnavailableException(Lack.DEVICE,
                    "no RDMA device is reached at this address; look with: rdma link; ip address: address="
                            + address,
                    null);
        }
        this.context = found;
        this.attributes = context.queryDevice();
        if (attributes.atomicCapability() == AtomicCapability.NONE) {
            throw new RdmaUnavailableException(Lack.ATOMICS,
                    "the device has no atomics; look with: ibv_devinfo -v (atomic_cap): address=" + address,
                    null);
        }
        this.domain = (ProtectionDomain) context.allocPd();
    }

    /**
     * Listens at an address of the device. The thread that takes the events accepts the connections.
     *
     * @throws RdmaUnavailableException if there is no such device, or it cannot do what is needed
     */
    public static Device listen(RdmaAddress rdmaAddress, int rank) throws IOException {
        return listen(address(rdmaAddress, rank));
    }

    private static InetSocketAddress address(RdmaAddress rdmaAddress, int rank) throws IOException {
        int port = rdmaAddress.port() == 0 ? 0 : rdmaAddress.port() + rank;
        return rdmaAddress.host() == null
                ? new InetSocketAddress(new DeviceAddress(DeviceAddress.DEVICES).find(rdmaAddress), port)
                : new InetSocketAddress(rdmaAddress.host(), port);
    }

    /** As {@link #listen(RdmaAddress, int)}, but at the given address. */
    public static Device listen(InetSocketAddress address) throws IOException {
        EventChannel events = EventChannel.create();
        ConnectionId listening = ConnectionId.create(events, RdmaCm.RDMA_PS_TCP);
        try {
            listening.bindAddr(address);
            listening.listen(BACKLOG);
            return new Device(events, listening);
        } catch (IOException | RuntimeException failure) {
            listening.destroyId();
            events.destroyEventChannel();
            throw failure;
        }
    }

    public EventChannel events() {
        return events;
    }

    /** Returns the address at which others reach this rank. */
    public InetSocketAddress address() {
        return address;
    }

    /**
     * Returns what the device guarantees. Its atomics count as coherent with the CPU's only if the device says so.
     *
     * <p>A hardware device is not trusted to keep the order of reads, nor to deliver more than one word whole. Both
     * depend on the memory system of the host. Soft-RoCE copies word by word, one request after the other.
     */
    public Guarantees guarantees(Rdma.@Nullable ReadGuarantees told) {
        return guarantees(attributes, told);
    }

    static Guarantees guarantees(DeviceAttributes attributes, Rdma.@Nullable ReadGuarantees told) {
        AtomicDomain atomics = attributes.atomicCapability() == AtomicCapability.GLOBAL
                ? AtomicDomain.COHERENT_WITH_CPU
                : AtomicDomain.FABRIC_ONLY;
        Rdma.ReadGuarantees known = told != null
                ? told
                : new Rdma.ReadGuarantees(Long.BYTES, attributes.vendorId() == SOFT_ROCE_VENDOR);
        return new Guarantees(atomics, known.atomicReadBytes(), known.readsInOrder(), false, false);
    }

    public MemoryRegion register(MemorySegment memory, int access) throws IOException {
        return MemoryRegion.register(domain, memory, access);
    }

    public CompletionQueue completionQueue(int completions) throws IOException {
        return CompletionQueue.create(context, completions);
    }

    /** Creates a queue pair for a connection, which must go over this device. */
    public QueuePair queuePair(ConnectionId id, CompletionQueue completions, int depth) throws IOException {
        if (id.getVerbs() != context) {
            throw new IOException("the peer is reached over another device: source=" + id.getSource() + " listening="
                    + address);
        }
        try {
            return id.createQP(domain, attributes(completions, depth, INLINE_BYTES));
        } catch (IOException noInlineData) {
            return id.createQP(domain, attributes(completions, depth, 0));
        }
    }

    private static IbvQPInitAttr attributes(CompletionQueue completions, int depth, int inlineBytes) {
        IbvQPInitAttr asked = new IbvQPInitAttr();
        asked.cap().setMax_send_wr(depth);
        asked.cap().setMax_recv_wr(1);
        asked.cap().setMax_send_sge(1);
        asked.cap().setMax_recv_sge(1);
        asked.cap().setMax_inline_data(inlineBytes);
        asked.setQp_type(IbvQP.IBV_QPT_RC);
        asked.setSend_cq(completions);
        asked.setRecv_cq(completions);
        return asked;
    }

    /** Closes the device. Everything made of it must be gone, and no thread may wait for its events. */
    @Override
    public void close() throws IOException {
        listening.destroyId();
        events.destroyEventChannel();
        int error = domain.deallocPd();
        if (error != 0) {
            throw new IOException("something made of the device is left: errno=" + error);
        }
    }
}
