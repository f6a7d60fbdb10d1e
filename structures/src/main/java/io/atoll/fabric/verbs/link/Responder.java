package io.atoll.fabric.verbs.link;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaConnParam;
import io.atoll.background.BackgroundThread;
import io.atoll.fabric.verbs.device.Device;
import io.atoll.fabric.verbs.link.Greeting.Refusal;
import io.atoll.fabric.verbs.link.Greeting.Request;
import io.atoll.fabric.verbs.provider.connection.ConnectionEvent;
import io.atoll.fabric.verbs.provider.connection.ConnectionId;
import io.atoll.fabric.verbs.provider.resource.CompletionQueue;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This rank as the owner of its segment: lets other ranks connect, by a thread of its own, and revokes their access. Once they are connected the device
 * serves them; the queue pairs here never post anything.
 */
public final class Responder implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Responder.class);

    private static final EventType[] EVENTS = EventType.values();
    private static final int LOOK_INTERVAL_MILLIS = 100; // how soon the thread sees that it shall end
    private static final int RECEIVES = 1; // none is posted, but a queue pair has room for one at least

    private final WorldIdentity world;
    private final int rank;
    private final int incarnation;
    private final Device device;
    private final RemoteSegment answer;
    private final Admission admission;
    private final LocalMemory segment;
    private final CompletionQueue unused;
    private final Map<ConnectionId, Request> connected = new HashMap<>(); // guarded by this
    private final BackgroundThread thread;
    private @Nullable Request reported; // refused last; guarded by this
    private boolean withdrawn; // guarded by this

    /** @param segment where it is noted who was shut out: others ask for it, and it holds for the next incarnation of this rank, too */
    public Responder(WorldIdentity world, int rank, int incarnation, Device device, RemoteSegment answer,
            LocalMemory segment)
            throws IOException {
        this.world = world;
        this.rank = rank;
        this.incarnation = incarnation;
        this.device = device;
        this.answer = answer;
        this.segment = segment;
        this.admission = new Admission(world, rank, incarnation, segment);
        this.unused = device.completionQueue(RECEIVES);
        this.thread = new BackgroundThread("atoll-verbs-" + world.name() + "-" + rank, this::respond);
        startOrDestroy();
    }

    private void startOrDestroy() throws IOException {
        boolean started = false;
        try {
            thread.start();
            started = true;
        } finally {
            if (!started) {
                unused.destroyCQ();
            }
        }
    }

    /** The thread that lets other ranks connect. */
    public BackgroundThread thread() {
        return thread;
    }

    private long respond() throws IOException {
        ConnectionEvent event = device.events().getCmEvent(LOOK_INTERVAL_MILLIS);
        if (event != null) {
            try {
                handle(event);
            } catch (IOException | RuntimeException failure) {
                // One rank's, and no trouble of the thread: the next event may be another rank's.
                LOG.error("a rank could not connect or disconnect: world={} rank={}", world.name(), rank, failure);
            }
        }
        return 0;
    }

    private void handle(ConnectionEvent event) throws IOException {
        if (!(event.getConnIdPriv() instanceof ConnectionId id)) {
            return; // of a connection that was revoked meanwhile
        }
        switch (EVENTS[event.getEvent()]) {
            case RDMA_CM_EVENT_CONNECT_REQUEST -> answer(id, Request.read(event.privateData()).orElse(null));
            case RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_TIMEWAIT_EXIT -> {
                // Nothing to do: the requester knows, and an identifier lives until it is destroyed.
            }
            default -> revoke(id); // disconnected, or never quite connected
        }
    }

    private synchronized void answer(ConnectionId id, @Nullable Request request) throws IOException {
        Refusal refusal = withdrawn ? Refusal.NOBODY : admission.refusal(request);
        try (Arena arena = Arena.ofConfined()) {
            if (request == null || refusal != null) {
                reject(id, Greeting.write(refusal == null ? Refusal.STRANGER : refusal, incarnation, arena));
                report(request, refusal);
                return;
            }
            // No other has access by now: this one was met, see Admission.
            // Nor what the connection had under way that this one replaces: who goes on by it may be undoing just that.
            revoke(request::isSuccessorOf);
            accept(id, request, arena);
        }
    }

    private static void reject(ConnectionId id, MemorySegment reason) throws IOException {
        try {
            id.reject(reason);
        } finally {
            id.destroyId();
        }
    }

    /** Of a requester that has gone, or that cannot be reached by the device, nothing is left. */
    private void accept(ConnectionId id, Request request, Arena arena) throws IOException {
        try {
            device.queuePair(id, unused, RECEIVES);
            MemorySegment data = Greeting.write(answer, arena);
            RdmaConnParam parameters = new RdmaConnParam();
            parameters.setPrivate_data(data.address());
            parameters.setPrivate_data_len((byte) data.byteSize());
            id.accept(parameters);
            connected.put(id, request);
        } finally {
            if (!connected.containsKey(id)) {
                destroy(id);
            }
        }
    }

    /** Whoever asks again and again is reported once. A caller that only asks which incarnation this is, or that comes a little early, is not reported at all. */
    private void report(@Nullable Request request, @Nullable Refusal refusal) {
        boolean onlyAsked = refusal == Refusal.OTHER_INCARNATION && request != null
                && request.targetIncarnation() == Greeting.ANY_INCARNATION;
        if (onlyAsked || refusal == Refusal.NOT_MET || request != null && request.equals(reported)) {
            return;
        }
        reported = request;
        LOG.warn("refused to let a process use the segment: world={} rank={} request={} reason={}", world.name(), rank,
                request, refusal);
    }

    /** Notes that the incarnation may have access: before it has. What an earlier one had under way must not arrive after that. */
    public synchronized void meet(int other, int itsIncarnation) throws IOException {
        SegmentHeader.remember(segment, other, itsIncarnation);
        fenceUpTo(other, itsIncarnation - 1);
    }

    /** Revokes the access of all incarnations of the rank up to this one: when it returns, nothing of theirs can reach the segment any more. */
    public synchronized void fenceUpTo(int other, int lastIncarnation) throws IOException {
        revoke(request -> request.rank() == other && request.incarnation() <= lastIncarnation);
        // Last: who reads it repairs what those incarnations have left behind.
        SegmentHeader.noteFenced(segment, other, lastIncarnation);
    }

    /** Revokes everybody's access, and lets nobody connect any more: from now on the segment is not touched. */
    public synchronized void withdraw() throws IOException {
        withdrawn = true;
        revoke(_ -> true);
    }

    private void revoke(Predicate<Request> whose) throws IOException {
        for (Iterator<Map.Entry<ConnectionId, Request>> each = connected.entrySet().iterator(); each.hasNext();) {
            Map.Entry<ConnectionId, Request> entry = each.next();
            if (whose.test(entry.getValue())) {
                each.remove();
                destroy(entry.getKey());
            }
        }
    }

    private synchronized void revoke(ConnectionId id) throws IOException {
        if (connected.remove(id) != null) {
            destroy(id);
        }
    }

    private static void destroy(ConnectionId id) throws IOException {
        if (id.getQp() != null) {
            id.destroyQP();
        }
        id.destroyId();
    }

    /** Revokes everybody's access. */
    @Override
    public void close() throws IOException {
        while (!thread.end()) {
            // Longer than others wait: the thread uses what is destroyed next.
        }
        synchronized (this) {
            for (ConnectionId id : connected.keySet()) {
                destroy(id);
            }
            connected.clear();
            unused.destroyCQ();
        }
    }
}
