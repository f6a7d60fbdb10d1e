package io.atoll.fabric.verbs;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.verbs.device.Device;
import io.atoll.fabric.verbs.link.Connector;
import io.atoll.fabric.verbs.link.Connector.Target;
import io.atoll.fabric.verbs.link.RemoteSegment;
import io.atoll.fabric.verbs.link.Responder;
import io.atoll.fabric.verbs.link.RollCall;
import io.atoll.fabric.verbs.provider.ForeignProvider;
import io.atoll.fabric.verbs.provider.foreign.RdmaUnavailableException;
import io.atoll.fabric.verbs.provider.resource.MemoryRegion;
import io.atoll.failure.FabricException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/**
 * A rank that others reach by RDMA. Its segment is a file of its host, which also tells it from other processes of the host; the
 * device serves it to the others.
 */
final class VerbsAttachment implements Attachment {

    private static final String HOST = "verbs.host";
    private static final String PORT = "verbs.port";

    private final Attachment host;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>(); // the last first
    private final Device device;
    private final Responder responder;
    private final VerbsFabric fabric;
    private final RollCall rollCall;
    private final int[] incarnations; // of peers, the last that was met
    private boolean closed;

    /**
     * @param host this process's place on its host, closed with the attachment, and when that cannot be
     */
    static VerbsAttachment open(Verbs settings, WorldIdentity world, Attachment host) {
        Deque<AutoCloseable> opened = new ArrayDeque<>();
        opened.push(host);
        try {
            ForeignProvider.install();
            return new VerbsAttachment(settings, world, host, opened);
        } catch (Error failure) {
            closeAll(opened, failure);
            throw failure;
        } catch (IOException | RuntimeException failure) {
            closeAll(opened, failure);
            throw new JoinRefusedException(reason(failure), "RDMA cannot be used here: " + failure.getMessage(),
                    failure);
        }
    }

    private static Reason reason(Exception failure) {
        if (!(failure instanceof RdmaUnavailableException unavailable)) {
            return Reason.FABRIC_UNAVAILABLE;
        }
        return switch (unavailable.lack()) {
            case DEVICE -> Reason.NO_RDMA_DEVICE;
            case ATOMICS -> Reason.NO_RDMA_ATOMICS;
            case LOCKED_MEMORY -> Reason.LOCKED_MEMORY;
        };
    }

    private VerbsAttachment(Verbs settings, WorldIdentity world, Attachment host, Deque<AutoCloseable> opened)
            throws IOException {
        this.host = host;
        this.incarnations = new int[world.size()];
        int rank = host.fabric().rank();
        LocalMemory segment = host.fabric().local();
        device = settings.listen(rank);
        opened.push(device);
        MemoryRegion region = device.register(segment.view(0, segment.size()), Device.SHARED);
        opened.push(region::deregister);
        RemoteSegment answer = new RemoteSegment(region.getAddr(), region.lengthBytes(), region.getRkey());
        responder = new Responder(world, rank, host.incarnation(), device, answer, segment);
        opened.push(responder);
        Connector connector = new Connector(world, rank, host.incarnation(), device, settings.depth(), Clock.SYSTEM);
        fabric = new VerbsFabric(connector, settings, segment);
        opened.push(fabric);
        fabric.open(new Target(rank, host.incarnation(), device.address()));
        fabric.detectByteOrder();
        SegmentHeader.publish(segment, device.address());
        rollCall = new RollCall(connector, settings.addresses());
        opened.push(rollCall);
        this.opened.addAll(opened);
    }

    @Override
    public List<BackgroundThread> background() {
        return List.of(responder.thread(), rollCall.thread());
    }

    @Override
    public Fabric fabric() {
        return fabric;
    }

    @Override
    public int incarnation() {
        return host.incarnation();
    }

    @Override
    public Map<String, String> address() {
        InetSocketAddress address = device.address();
        return Map.of(HOST, address.getAddress().getHostAddress(), PORT, String.valueOf(address.getPort()));
    }

    /**
     * A rank that runs on this host is known to, once it lets others connect. Others are asked, where a list says where they are. Else, and of one that has ended
     * here and answers nowhere, the membership knows.
     */
    @Override
    public Presence presence(int rank) {
        Presence here = host.presence(rank);
        if (rank == fabric.rank() || here.state() == State.PRESENT && here.address() != null) {
            return here;
        }
        Presence answered = rollCall.presence(rank);
        boolean endedHere = here.state() == State.GONE && here.incarnation() >= answered.incarnation();
        return endedHere ? new Presence(State.UNKNOWN, 0) : answered;
    }

    @Override
    public void connect(int rank, int incarnation, Map<String, String> address) {
        refuseFormer(rank, incarnation);
        incarnations[rank] = incarnation;
        meet(rank, incarnation);
        fabric.open(new Target(rank, incarnation, resolve(rank, address)));
    }

    /** Who has lost its segment counts its incarnations from 1 again: it is not the rank that others have offsets into the segment of. */
    private void refuseFormer(int rank, int incarnation) {
        int met = SegmentHeader.remembered(fabric.local(), rank);
        long fenced = fabric.local().getAcquire(SegmentHeader.fencedWord(rank));
        if (incarnation < met || incarnation <= fenced) {
            throw new RankUnreachableException(
                    "this incarnation is a former one, or the rank comes back without its segment, start all processes of the world anew",
                    "incarnation=" + incarnation + " met=" + met + " fenced=" + fenced, "attach", rank,
                    FabricException.WHOLE_SEGMENT);
        }
    }

    /** As the rank has told its membership, published on this host, or as the list has it. */
    private InetSocketAddress resolve(int rank, Map<String, String> address) {
        if (address.containsKey(HOST)) {
            return new InetSocketAddress(address.get(HOST), Integer.parseInt(address.getOrDefault(PORT, "")));
        }
        InetSocketAddress published = presence(rank).address();
        if (published == null) {
            throw new RankUnreachableException("nobody says where the rank can be reached, list its address", "attach",
                    rank,
                    FabricException.WHOLE_SEGMENT);
        }
        return published;
    }

    /** Destroys the queue pairs by which the rank reaches this segment, then those by which this rank reaches its. */
    @Override
    public void fence(int rank) {
        shutOut(rank, incarnations[rank]);
        fabric.close(rank, "the rank has left or has died, start it or wait until it is back");
    }

    private void meet(int rank, int incarnation) {
        try {
            responder.meet(rank, incarnation);
        } catch (IOException failure) {
            throw notRevoked(rank, failure);
        }
    }

    private void shutOut(int rank, int lastIncarnation) {
        try {
            responder.fenceUpTo(rank, lastIncarnation);
        } catch (IOException failure) {
            throw notRevoked(rank, failure);
        }
    }

    private static UncheckedIOException notRevoked(int rank, IOException failure) {
        return new UncheckedIOException("the access of a rank cannot be revoked: rank=" + rank, failure);
    }

    @Override
    public boolean isFenced(int rank, int incarnation, int segment) {
        return SegmentHeader.isFenced(rank, incarnation, word -> segment == fabric.rank()
                ? fabric.local().getAcquire(word)
                : fabric.readWord(segment, word));
    }

    @Override
    public void withdraw(JoinRefusedException reason) {
        try {
            responder.withdraw();
        } catch (IOException failure) {
            throw new UncheckedIOException("the access of other ranks cannot be revoked", failure);
        }
        for (int rank = 0; rank < fabric.size(); rank++) {
            fabric.close(rank, "this process takes part no more, start it anew");
        }
        host.withdraw(reason);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        RuntimeException failure = new IllegalStateException("the attachment does not close");
        closeAll(opened, failure);
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    private static void closeAll(Deque<AutoCloseable> opened, Throwable failure) {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception another) {
                failure.addSuppressed(another);
            }
        }
    }
}
