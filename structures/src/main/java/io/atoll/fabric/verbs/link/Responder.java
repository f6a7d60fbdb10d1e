package io.atoll.fabric.verbs.link;

import static io.atoll.fabric.verbs.link.RemoteSegment.GREETING;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaConnParam;
import io.atoll.background.BackgroundThread;
import io.atoll.fabric.link.Access;
import io.atoll.fabric.link.Refusal;
import io.atoll.fabric.link.Request;
import io.atoll.fabric.verbs.device.Device;
import io.atoll.fabric.verbs.provider.connection.ConnectionEvent;
import io.atoll.fabric.verbs.provider.connection.ConnectionId;
import io.atoll.fabric.verbs.provider.resource.CompletionQueue;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
    private final Access<ConnectionId> access;
    private final CompletionQueue unused;
    private final BackgroundThread thread;

    /** @param segment where it is noted which incarnations were shut out */
    public Responder(WorldIdentity world, int rank, int incarnation, Device device, RemoteSegment answer,
            LocalMemory segment)
            throws IOException {
        this.world = world;
        this.rank = rank;
        this.incarnation = incarnation;
        this.device = device;
        this.answer = answer;
        this.access = new Access<>(world, rank, incarnation, segment, Responder::destroy);
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

    /** Which ranks have access. */
    public Access<ConnectionId> access() {
        return access;
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
            case RDMA_CM_EVENT_CONNECT_REQUEST ->
                access.answer(GREETING.readRequest(event.privateData()).orElse(null), new Reply(id));
            case RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_TIMEWAIT_EXIT -> {
                // Nothing to do: the requester knows, and an identifier lives until it is destroyed.
            }
            default -> access.revoke(id); // disconnected, or never quite connected
        }
    }

    private final class Reply implements Access.Reply<ConnectionId> {

        private final ConnectionId id;

        private Reply(ConnectionId id) {
            this.id = id;
        }

        @Override
        public void refuse(Refusal refusal) throws IOException {
            try (Arena arena = Arena.ofConfined()) {
                id.reject(GREETING.write(refusal, incarnation, arena));
            } finally {
                id.destroyId();
            }
        }

        /** The requester may have gone, or the device may not reach it. */
        @Override
        public ConnectionId accept(Request request) throws IOException {
            boolean accepted = false;
            try (Arena arena = Arena.ofConfined()) {
                device.queuePair(id, unused, RECEIVES);
                MemorySegment data = answer.write(arena);
                RdmaConnParam parameters = new RdmaConnParam();
                parameters.setPrivate_data(data.address());
                parameters.setPrivate_data_len((byte) data.byteSize());
                id.accept(parameters);
                accepted = true;
                return id;
            } finally {
                if (!accepted) {
                    destroy(id);
                }
            }
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
        access.withdraw();
        unused.destroyCQ();
    }
}
