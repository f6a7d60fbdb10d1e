package io.atoll.fabric.rdma;

import static io.atoll.fabric.rdma.RdmaHandshake.HANDSHAKE;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaConnParam;
import io.atoll.background.BackgroundThread;
import io.atoll.disni.CompletionQueue;
import io.atoll.disni.ConnectionEvent;
import io.atoll.disni.ConnectionId;
import io.atoll.fabric.link.AccessControl;
import io.atoll.fabric.link.ConnectRequest;
import io.atoll.fabric.link.Handshake;
import io.atoll.fabric.link.HandshakeQueue;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Origin;
import io.atoll.fabric.link.Refusal;
import io.atoll.fabric.link.RefusalDetails;
import io.atoll.fabric.rdma.Challenges.Proved;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acts for this rank as the owner of its segment. It lets other ranks connect, by a thread of its own, and revokes
 * their access. Once they are connected, the device serves them. The queue pairs here never post anything.
 */
final class Responder implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Responder.class);

    private static final EventType[] EVENTS = EventType.values();
    private static final int LOOK_INTERVAL_MILLIS = 100; // how soon the thread sees that it shall end
    private static final int RECEIVES = 1; // none is posted, but a queue pair has room for at least one

    private final WorldIdentity world;
    private final int rank;
    private final Device device;
    private final RemoteSegment answer;
    private final AccessControl<ConnectionId> accessControl;
    private final Keys keys;
    private final Challenges challenges; // used by the thread only
    private final HandshakeQueue<Requester> handshakeQueue; // used by the thread only
    private final CompletionQueue unused;
    private final BackgroundThread thread;

    /**
     * @param segment records which incarnations this rank has shut out
     * @param keys by which ranks prove themselves
     */
    public Responder(WorldIdentity world, int rank, int incarnation, Device device, RemoteSegment answer,
            LocalMemory segment, Keys keys)
            throws IOException {
        this.world = world;
        this.rank = rank;
        this.device = device;
        this.answer = answer;
        this.accessControl = new AccessControl<>(world, rank, incarnation, segment, Responder::destroy);
        this.keys = keys.shortened(RdmaHandshake.PROOF_BYTES);
        this.challenges = new Challenges(this.keys);
        this.unused = device.completionQueue(RECEIVES);
        String name = "atoll-rdma-" + world.name() + "-" + rank;
        this.handshakeQueue = new HandshakeQueue<>(name, Connector.TIMEOUT.toMillis(), this::turnAway);
        this.thread = new BackgroundThread(name, this::respond);
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

    /** Returns which ranks have access. */
    public AccessControl<ConnectionId> accessControl() {
        return accessControl;
    }

    /** Returns the thread that lets other ranks connect. */
    public BackgroundThread thread() {
        return thread;
    }

    /** A requester, and the words of its request. */
    private record Requester(ConnectionId id, MemorySegment data) {}

    private long respond() throws IOException {
        long nowNanos = System.nanoTime();
        challenges.forgetLate(nowNanos);
        if (!attempt(() -> answerNext(nowNanos))) {
            int waitMillis = (int) handshakeQueue.waitMillis(nowNanos, LOOK_INTERVAL_MILLIS);
            ConnectionEvent event = device.events().getCmEvent(waitMillis);
            if (event != null) {
                attempt(() -> handle(event));
            }
        }
        return 0;
    }

    /** A step that concerns one rank. */
    private interface Step {

        /** Returns true if there was something to do. */
        boolean run() throws IOException;
    }

    private boolean attempt(Step step) {
        try {
            return step.run();
        } catch (IOException | RuntimeException failure) {
            // The failure concerns one rank and not this thread: the next event may be another rank's.
            LOG.error("a rank could not connect or disconnect: world={} rank={}", world.name(), rank, failure);
            return true;
        }
    }

    /**
     * Answers the next requester, which leaves the queue of handshakes at once. Only its challenge is kept; see
     * {@link Challenges}.
     */
    private boolean answerNext(long nowNanos) throws IOException {
        Requester next = handshakeQueue.next(nowNanos);
        if (next != null) {
            handshakeQueue.leave(next);
            answer(next.data(), next.id());
        }
        return next != null;
    }

    private boolean handle(ConnectionEvent event) throws IOException {
        if (!(event.getConnIdPriv() instanceof ConnectionId id)) {
            return true; // the event belongs to a connection that was revoked meanwhile
        }
        switch (EVENTS[event.getEvent()]) {
            case RDMA_CM_EVENT_CONNECT_REQUEST -> handshakeQueue.enter(new Requester(id, event.privateData()),
                    origin(id), System.nanoTime());
            case RDMA_CM_EVENT_ESTABLISHED, RDMA_CM_EVENT_TIMEWAIT_EXIT -> {
                // Nothing to do: the requester knows, and an identifier lives until it is destroyed.
            }
            default -> accessControl.revoke(id); // disconnected, or the connection failed on the way
        }
        return true;
    }

    private static Origin origin(ConnectionId id) throws IOException {
        InetSocketAddress from = id.getDestination();
        return Origin.of(from == null ? null : from.getAddress());
    }

    /** Rejects a requester because too many are waiting. It comes again. */
    private void turnAway(Requester requester) throws IOException {
        accessControl.refuse(null, Refusal.NOT_MET, new Reply(requester.id(), null));
    }

    private void answer(MemorySegment data, ConnectionId id) throws IOException {
        if (keys.areNeeded() && RdmaHandshake.areProofs(data)) {
            answerProofs(data, id);
            return;
        }
        ConnectRequest connectRequest = HANDSHAKE.readRequest(data).orElse(null);
        Reply reply = new Reply(id, null);
        boolean proves = RdmaHandshake.proves(data);
        if (connectRequest == null || connectRequest.layoutVersion() != SegmentHeader.LAYOUT_VERSION) {
            // refused; in another layout version the rest may have another meaning
            accessControl.answer(connectRequest, reply);
        } else if (proves != keys.areNeeded()) {
            accessControl.refuse(connectRequest, Refusal.UNPROVED, reply);
        } else if (proves) {
            try (Arena arena = Arena.ofConfined()) {
                reject(id, challenges.give(connectRequest, data, origin(id), System.nanoTime(), arena));
            }
        } else {
            accessControl.answer(connectRequest, reply);
        }
    }

    private void answerProofs(MemorySegment proofs, ConnectionId id) throws IOException {
        ConnectRequest requester = challenges.requester(proofs);
        Proved proved = challenges.check(proofs).orElse(null);
        if (proved != null) {
            accessControl.answer(proved.connectRequest(), new Reply(id, proved));
        } else if (requester == null) {
            // This rank has forgotten the challenge, so the requester comes again.
            accessControl.refuse(null, Refusal.NOT_MET, new Reply(id, null));
        } else {
            handshakeQueue.delay(origin(id), System.nanoTime());
            accessControl.refuse(requester, Refusal.UNPROVED, new Reply(id, null));
        }
    }

    private static void reject(ConnectionId id, MemorySegment words) throws IOException {
        try {
            id.reject(words);
        } finally {
            id.destroyId();
        }
    }

    private final class Reply implements AccessControl.Reply<ConnectionId> {

        private final ConnectionId id;
        private final @Nullable Proved proved;

        /** @param proved null for a requester that has proved nothing */
        private Reply(ConnectionId id, @Nullable Proved proved) {
            this.id = id;
            this.proved = proved;
        }

        @Override
        public void refuse(Refusal refusal, RefusalDetails refusalDetails) throws IOException {
            try (Arena arena = Arena.ofConfined()) {
                reject(id, withProof(HANDSHAKE.write(refusal, refusalDetails, arena), Handshake.REFUSAL, arena));
            }
        }

        /** Returns the answer, followed by this rank's proof if the requester has proved itself. */
        private MemorySegment withProof(MemorySegment words, StructLayout layout, Arena arena) {
            if (proved == null) {
                return words;
            }
            byte[] proof = proved.ownersProof(RdmaHandshake.bytes(words, layout));
            MemorySegment both = arena.allocate(words.byteSize() + proof.length).copyFrom(words);
            both.asSlice(words.byteSize()).copyFrom(MemorySegment.ofArray(proof));
            return both;
        }

        /** Fails if the requester has gone, or if the device does not reach it. */
        @Override
        public ConnectionId accept(ConnectRequest connectRequest) throws IOException {
            boolean accepted = false;
            try (Arena arena = Arena.ofConfined()) {
                device.queuePair(id, unused, RECEIVES);
                MemorySegment data = withProof(answer.write(arena), RemoteSegment.ANSWER, arena);
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

    /** Revokes the access of all ranks. */
    @Override
    public void close() throws IOException {
        while (!thread.end()) {
            // Wait as long as it takes: the thread uses what is destroyed next.
        }
        try (handshakeQueue) {
            accessControl.withdraw();
        } finally {
            unused.destroyCQ();
        }
    }
}
