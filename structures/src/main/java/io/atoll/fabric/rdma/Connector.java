package io.atoll.fabric.rdma;

import static io.atoll.fabric.rdma.RdmaHandshake.HANDSHAKE;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaConnParam;
import io.atoll.disni.CompletionQueue;
import io.atoll.disni.ConnectionEvent;
import io.atoll.disni.ConnectionId;
import io.atoll.disni.EventChannel;
import io.atoll.disni.QueuePair;
import io.atoll.fabric.Clock;
import io.atoll.fabric.link.AddressesInTurn;
import io.atoll.fabric.link.Alarm;
import io.atoll.fabric.link.ConnectDeadline;
import io.atoll.fabric.link.ConnectRequest;
import io.atoll.fabric.link.ConnectRetry;
import io.atoll.fabric.link.ConnectRetry.NotMetException;
import io.atoll.fabric.link.Handshake;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.LaneConnector;
import io.atoll.fabric.link.PeerAddress;
import io.atoll.fabric.link.Refusal;
import io.atoll.fabric.link.RefusalDetails;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Makes lanes to other ranks, in the name of this rank.
 *
 * @param segment this rank's segment, which records the lives of other ranks that it has met
 * @param keys the keys by which the ranks prove themselves to each other
 * @param attempts counts the attempts of all threads to connect
 * @param alarm is raised when a lane breaks
 * @param addresses the addresses of the ranks
 */
record Connector(WorldIdentity world, int rank, int incarnation, LocalMemory segment, Keys keys, Device device,
        int depth, Clock clock, AtomicInteger attempts, Alarm alarm, AddressesInTurn addresses)
        implements
            LaneConnector<QueuePairLane> {

    static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration STEP_TIMEOUT = Duration.ofSeconds(5);
    private static final int STEP_TIMEOUT_MILLIS = Math.toIntExact(STEP_TIMEOUT.toMillis());
    private static final byte MOST_RETRIES = 7;

    // The status with which InfiniBand's connection manager itself rejects a request. It tells the requests of one host
    // apart by the number of their queue pair. That number is 0 for all requests without a queue pair. So the second of
    // two that come together is rejected.
    private static final int STALE_CONNECTION = 10;

    private static final EventType[] EVENTS = EventType.values();

    public Connector {
        keys = keys.shortened(RdmaHandshake.PROOF_BYTES);
    }

    @Override
    public Duration timeout() {
        return TIMEOUT;
    }

    /** Returns the timeout of one step, in which a rank has to answer. */
    @Override
    public Duration timeoutAnew() {
        return STEP_TIMEOUT;
    }

    @Override
    public QueuePairLane connect(PeerAddress peerAddress, int lane, ConnectDeadline connectDeadline, String verb,
            long offset) {
        return ConnectRetry.persist(connectDeadline, () -> addresses.connect(peerAddress, connectDeadline, verb, offset,
                address -> attempt(new Way(peerAddress, address), lane, connectDeadline, verb, offset,
                        Attempt::connect)));
    }

    @Override
    public boolean asksForProofs() {
        return keys.areNeeded();
    }

    /**
     * Asks a rank which incarnation it is. Takes milliseconds if a process listens there, and the whole timeout if
     * nothing answers.
     */
    @Override
    public RefusalDetails ask(int other, InetSocketAddress address, Duration timeout) {
        PeerAddress peerAddress = new PeerAddress(other, Handshake.ANY_INCARNATION, address);
        ConnectDeadline connectDeadline = ConnectDeadline.of(Clock.SYSTEM, timeout);
        return ConnectRetry.persist(connectDeadline, () -> addresses.connect(peerAddress, connectDeadline, "attach",
                FabricException.WHOLE_SEGMENT, each -> attempt(new Way(peerAddress, each), 0, connectDeadline, "attach",
                        FabricException.WHOLE_SEGMENT, Attempt::ask)));
    }

    /**
     * The words that an attempt to connect exchanges with the owner.
     *
     * @param <T> the result
     */
    @FunctionalInterface
    private interface Exchange<T> {
        T hold(Attempt attempt, RequesterProof requesterProof) throws IOException;
    }

    private <T> T attempt(Way way, int lane, ConnectDeadline connectDeadline, String verb, long offset,
            Exchange<T> exchange)
            throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            RequesterProof requesterProof = introduction(way, lane, connectDeadline, verb, offset, arena);
            return exchange.hold(attempt(way, connectDeadline, verb, offset), requesterProof);
        }
    }

    /**
     * Returns the words by which this rank asks to be let in. If there is a secret, it first asks the owner for a
     * challenge.
     */
    private RequesterProof introduction(Way way, int lane, ConnectDeadline connectDeadline, String verb, long offset,
            Arena arena) throws IOException {
        PeerAddress peerAddress = way.peerAddress();
        ConnectRequest connectRequest = new ConnectRequest(world, rank, peerAddress.rank(), incarnation,
                peerAddress.incarnation(), lane,
                attempts.incrementAndGet())
                .of(peerAddress.born(), SegmentHeader.lastKnown(segment, peerAddress.rank()));
        MemorySegment hello = RdmaHandshake.hello(connectRequest, keys.areNeeded(), arena);
        if (!keys.areNeeded()) {
            return RequesterProof.withoutProof(keys, hello);
        }
        Attempt attempt = attempt(way, connectDeadline, verb, offset);
        MemorySegment challenge = attempt.beRejected(hello);
        if (!RdmaHandshake.isChallenge(challenge)) {
            throw attempt.refused(RequesterProof.unproved(HANDSHAKE.readRefusal(challenge)));
        }
        return RequesterProof.withProofs(keys, hello, challenge, arena);
    }

    private Attempt attempt(Way way, ConnectDeadline connectDeadline, String verb, long offset) throws IOException {
        return new Attempt(way, connectDeadline, verb, offset, EventChannel.create());
    }

    /**
     * A rank, and one of the addresses that its name has.
     *
     * @param address resolved
     */
    private record Way(PeerAddress peerAddress, InetSocketAddress address) {}

    /** One attempt to connect. If it fails, it destroys what it has made. */
    private final class Attempt {

        private final PeerAddress peerAddress;
        private final InetSocketAddress address;
        private final ConnectDeadline connectDeadline;
        private final String verb;
        private final long offset;
        private final EventChannel events;
        private final ConnectionId id;
        private @Nullable CompletionQueue completions;

        private Attempt(Way way, ConnectDeadline connectDeadline, String verb, long offset, EventChannel events)
                throws IOException {
            this.peerAddress = way.peerAddress();
            this.address = way.address();
            this.connectDeadline = connectDeadline;
            this.verb = verb;
            this.offset = offset;
            this.events = events;
            this.id = ConnectionId.create(events, RdmaCm.RDMA_PS_TCP);
        }

        private QueuePairLane connect(RequesterProof requesterProof) throws IOException {
            boolean connected = false;
            try {
                findTheWay();
                CompletionQueue queue = device.completionQueue(depth);
                completions = queue;
                QueuePair queuePair = device.queuePair(id, queue, depth);
                id.connect(parameters(requesterProof.words()));
                ConnectionEvent event = next(EventType.RDMA_CM_EVENT_ESTABLISHED);
                if (typeOf(event) == EventType.RDMA_CM_EVENT_REJECTED) {
                    throw refused(requesterProof.refusal(event.privateData()));
                }
                RemoteSegment answer = requesterProof.segment(event.privateData()).orElse(null);
                if (answer == null) {
                    throw refused(unbelieved());
                }
                connected = true;
                return new QueuePairLane(peerAddress.rank(), answer, new QueuePairWire(id, queuePair, queue), depth,
                        clock,
                        alarm);
            } finally {
                if (!connected) {
                    undo();
                }
            }
        }

        private RefusalDetails ask(RequesterProof requesterProof) throws IOException {
            MemorySegment answer = beRejected(requesterProof.words());
            Refusal refusal = requesterProof.refusal(answer);
            if (refusal != Refusal.OTHER_INCARNATION) {
                throw refused(refusal);
            }
            return HANDSHAKE.readTold(answer);
        }

        /**
         * Sends words that the owner rejects in any case, so no queue pair is needed. Returns the words of the
         * rejection.
         */
        private MemorySegment beRejected(MemorySegment words) throws IOException {
            try {
                findTheWay();
                id.connect(parameters(words));
                return next(EventType.RDMA_CM_EVENT_REJECTED).privateData();
            } finally {
                undo();
            }
        }

        private void findTheWay() throws IOException {
            id.resolveAddr(new InetSocketAddress(device.address().getAddress(), 0), address,
                    STEP_TIMEOUT_MILLIS);
            next(EventType.RDMA_CM_EVENT_ADDR_RESOLVED);
            id.resolveRoute(STEP_TIMEOUT_MILLIS);
            next(EventType.RDMA_CM_EVENT_ROUTE_RESOLVED);
        }

        private RdmaConnParam parameters(MemorySegment data) throws IOException {
            RdmaConnParam parameters = new RdmaConnParam();
            parameters.setPrivate_data(data.address());
            parameters.setPrivate_data_len((byte) data.byteSize());
            parameters.setRetry_count(MOST_RETRIES);
            parameters.setRnr_retry_count(MOST_RETRIES);
            return parameters;
        }

        /** Returns the expected event or a rejection. Fails on any other event, and if none comes in time. */
        private ConnectionEvent next(EventType expected) throws IOException {
            ConnectionEvent event = await();
            if (event == null) {
                throw new SocketTimeoutException(
                        "no answer within " + STEP_TIMEOUT_MILLIS + " ms: expected=" + expected);
            }
            EventType type = typeOf(event);
            if (type == EventType.RDMA_CM_EVENT_REJECTED && event.getStatus() == STALE_CONNECTION) {
                throw new NotMetException(unreachable(
                        "the device took this request for another one of this host, repeat the operation", facts()));
            }
            if (type == EventType.RDMA_CM_EVENT_CONNECT_RESPONSE) {
                throw refused(unbelieved()); // no rank accepts a request that only asks
            }
            if (type != expected && type != EventType.RDMA_CM_EVENT_REJECTED) {
                throw unreachable("cannot connect, see whether the rank runs and can be reached",
                        "event=" + type + " status=" + event.getStatus() + " address=" + peerAddress.describe(address));
            }
            return event;
        }

        /** Returns null if the step has taken too long, or if the connection is no longer wanted. */
        private @Nullable ConnectionEvent await() throws IOException {
            long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STEP_TIMEOUT_MILLIS);
            ConnectionEvent event = null;
            while (event == null && connectDeadline.leftNanos() > 0 && deadlineNanos - System.nanoTime() > 0) {
                event = events.getCmEvent(ConnectDeadline.LOOK_MILLIS);
            }
            return event;
        }

        private static EventType typeOf(RdmaCmEvent event) {
            return EVENTS[event.getEvent()];
        }

        private Refusal unbelieved() {
            return keys.areNeeded() ? Refusal.UNPROVED : Refusal.NOBODY;
        }

        private RuntimeException refused(Refusal refusal) throws NotMetException {
            if (refusal == Refusal.NOT_MET) {
                throw new NotMetException(unreachable(refusal.words(), facts()));
            }
            return switch (refusal) {
                case OTHER_WORLD, OTHER_LAYOUT -> refusal.mismatch(peerAddress.rank());
                default -> unreachable(refusal.words(), facts());
            };
        }

        private String facts() {
            return "incarnation=" + incarnation + " expectedIncarnation=" + peerAddress.incarnation() + " expectedBorn="
                    + peerAddress.born() + " address="
                    + peerAddress.describe(address);
        }

        private RankUnreachableException unreachable(String reason, String facts) {
            return new RankUnreachableException(reason, facts, verb, peerAddress.rank(), offset);
        }

        private void undo() throws IOException {
            if (id.getQp() != null) {
                id.destroyQP();
            }
            if (completions != null) {
                completions.destroyCQ();
            }
            id.destroyId();
            events.destroyEventChannel();
        }
    }
}
