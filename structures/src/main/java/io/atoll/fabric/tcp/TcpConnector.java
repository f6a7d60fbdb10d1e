package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.atoll.fabric.Clock;
import io.atoll.fabric.link.AddressesInTurn;
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
import java.lang.foreign.StructLayout;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * Connects to other ranks, in the name of this rank.
 *
 * @param segment this rank's segment, which records the lives of other ranks that it has met
 * @param keys the keys by which the ranks prove themselves to each other
 * @param encryption null if connections are not encrypted
 * @param reader reads the answers of lanes on which virtual threads wait
 * @param laneMonitor looks after all lanes
 * @param spins makes the {@link Spin} of a lane
 * @param timeout how long making a connection may take
 * @param attempts counts the attempts of all threads to connect
 * @param addresses the addresses of the ranks
 */
record TcpConnector(WorldIdentity world, int rank, int incarnation, LocalMemory segment, Keys keys,
        @Nullable Encryption encryption, LaneReader reader, LaneMonitor laneMonitor,
        Clock clock, Supplier<Spin> spins, Duration timeout, AtomicInteger attempts, AddressesInTurn addresses)
        implements
            LaneConnector<TcpLane> {

    private static final String UNTRUSTED = "the certificates of the two processes do not let them trust each other,"
            + " correct them or the names of the ranks";

    /** Returns the shorter one of the timeout and the time for which a lane may be silent. */
    @Override
    public Duration timeoutAnew() {
        Duration silence = laneMonitor.silenceTimeout();
        return silence.compareTo(timeout) < 0 ? silence : timeout;
    }

    @Override
    public TcpLane connect(PeerAddress peerAddress, int lane, ConnectDeadline connectDeadline, String verb,
            long offset) {
        return ConnectRetry.persist(connectDeadline, () -> addresses.connect(peerAddress, connectDeadline, verb, offset,
                address -> converse(peerAddress, address, connectDeadline, verb, offset, (dialogue, arena) -> {
                    MemorySegment answer = handshake(peerAddress, lane, dialogue, arena);
                    if (!TcpHandshake.isAccepted(answer)) {
                        throw refused(TcpHandshake.readRefusal(answer), peerAddress, address, verb, offset);
                    }
                    return begin(peerAddress, TcpHandshake.readSegmentBytes(answer), dialogue);
                })));
    }

    /**
     * The words that are exchanged on a new connection.
     *
     * @param <T> the result
     */
    @FunctionalInterface
    private interface Conversation<T> {
        T hold(Dialogue dialogue, Arena arena) throws IOException;
    }

    private static <T> T converse(PeerAddress peerAddress, InetSocketAddress address, ConnectDeadline connectDeadline,
            String verb,
            long offset, Conversation<T> conversation) throws IOException {
        try (Arena arena = Arena.ofConfined(); Dialogue dialogue = begin(address, connectDeadline)) {
            return conversation.hold(dialogue, arena);
        } catch (SSLHandshakeException untrusted) {
            throw new RankUnreachableException(UNTRUSTED,
                    "cause=[" + untrusted.getMessage() + "] address=" + peerAddress.describe(address), verb,
                    peerAddress.rank(),
                    offset);
        }
    }

    private static Dialogue begin(InetSocketAddress address, ConnectDeadline connectDeadline) throws IOException {
        return Dialogue.begin(SocketChannel.open(), address, connectDeadline);
    }

    private TcpLane begin(PeerAddress peerAddress, long segmentBytes, Dialogue dialogue) throws IOException {
        TcpLane lane = new TcpLane(peerAddress.rank(), segmentBytes, NativeWire.of(dialogue.wire()), reader,
                laneMonitor,
                clock, spins.get());
        dialogue.release();
        boolean isKept = false;
        try {
            laneMonitor.watch(lane);
            isKept = true;
        } finally {
            if (!isKept) {
                lane.close("the connection could not be made");
            }
        }
        return lane;
    }

    /**
     * Makes the handshake with the owner. Returns its answer, or only the first bytes of it if the owner refuses. If
     * there is a secret, an owner that has not proved to know it counts only as one that lacks it.
     */
    private MemorySegment handshake(PeerAddress peerAddress, int lane, Dialogue dialogue, Arena arena)
            throws IOException {
        ConnectRequest connectRequest = new ConnectRequest(world, rank, peerAddress.rank(), incarnation,
                peerAddress.incarnation(), lane,
                attempts.incrementAndGet())
                .of(peerAddress.born(), SegmentHeader.lastKnown(segment, peerAddress.rank()));
        MemorySegment hello = TcpHandshake.hello(connectRequest, keys.areNeeded(), arena);
        dialogue.send(TcpHandshake.preamble(encryption != null, arena));
        if (encryption != null) {
            try {
                dialogue.encrypt(encryption);
            } catch (SSLHandshakeException untrusted) {
                throw untrusted;
            } catch (SSLException plain) {
                return TcpHandshake.HANDSHAKE.write(Refusal.OTHER_ENCRYPTION, RefusalDetails.NOTHING, arena);
            }
        }
        dialogue.send(hello);
        MemorySegment begin = arena.allocate(Handshake.REFUSAL);
        dialogue.receive(begin);
        if (keys.areNeeded()) {
            return TcpHandshake.isChallenged(begin) ? prove(hello, begin, dialogue, arena) : unproved(begin, arena);
        }
        return TcpHandshake.isAccepted(begin) ? rest(begin, TcpHandshake.ANSWER, dialogue, arena) : begin;
    }

    /**
     * Returns a refusal in place of the answer of an owner that has asked for no proof. Such an owner has not proved
     * anything, so it is believed only that it refuses.
     */
    private static MemorySegment unproved(MemorySegment begin, Arena arena) {
        Refusal refusal = TcpHandshake.readRefusal(begin);
        boolean isOfTheSetup = refusal == Refusal.OTHER_LAYOUT || refusal == Refusal.OTHER_ENCRYPTION
                || refusal == Refusal.UNTRUSTED;
        return TcpHandshake.HANDSHAKE.write(isOfTheSetup ? refusal : Refusal.UNPROVED, RefusalDetails.NOTHING, arena);
    }

    private MemorySegment prove(MemorySegment hello, MemorySegment begin, Dialogue dialogue, Arena arena)
            throws IOException {
        byte[] asked = hello.toArray(JAVA_BYTE);
        byte[] challenged = rest(begin, TcpHandshake.CHALLENGE, dialogue, arena).toArray(JAVA_BYTE);
        dialogue.send(MemorySegment.ofArray(keys.proofs(Keys.CALLER, asked, challenged,
                dialogue.wire().binding())));
        MemorySegment answerBegin = arena.allocate(Handshake.REFUSAL);
        dialogue.receive(answerBegin);
        if (TcpHandshake.readRefusal(answerBegin) == Refusal.UNPROVED) {
            return answerBegin;
        }
        MemorySegment answer = rest(answerBegin, TcpHandshake.ANSWER, dialogue, arena);
        byte[] proof = new byte[Keys.PROOF_BYTES];
        dialogue.receive(MemorySegment.ofArray(proof));
        int key = keys.matching(proof, Keys.OWNER, asked, challenged, answer.toArray(JAVA_BYTE),
                dialogue.wire().binding());
        return key == Keys.NONE
                ? TcpHandshake.HANDSHAKE.write(Refusal.UNPROVED, RefusalDetails.NOTHING, arena)
                : answer;
    }

    /** Receives the rest of a structure. Returns the whole structure. */
    private static MemorySegment rest(MemorySegment begin, StructLayout layout, Dialogue dialogue, Arena arena)
            throws IOException {
        MemorySegment whole = arena.allocate(layout);
        whole.copyFrom(begin);
        dialogue.receive(whole.asSlice(begin.byteSize()));
        return whole;
    }

    @Override
    public boolean asksForProofs() {
        return keys.areNeeded() || encryption != null;
    }

    @Override
    public RefusalDetails ask(int other, InetSocketAddress address, Duration within) {
        PeerAddress peerAddress = new PeerAddress(other, Handshake.ANY_INCARNATION, address);
        ConnectDeadline connectDeadline = ConnectDeadline.of(Clock.SYSTEM, within);
        try {
            return addresses.connect(peerAddress, connectDeadline, "attach", FabricException.WHOLE_SEGMENT,
                    each -> converse(peerAddress, each, connectDeadline, "attach", FabricException.WHOLE_SEGMENT,
                            (dialogue, arena) -> told(peerAddress, each, handshake(peerAddress, 0, dialogue, arena))));
        } catch (NotMetException early) {
            throw early.refusal();
        }
    }

    /**
     * Returns what an owner tells. The request names an incarnation that does not exist, so the owner must refuse it.
     */
    private RefusalDetails told(PeerAddress peerAddress, InetSocketAddress address, MemorySegment answer)
            throws NotMetException {
        Refusal refusal = TcpHandshake.readRefusal(answer);
        if (refusal != Refusal.OTHER_INCARNATION) {
            throw refused(refusal, peerAddress, address, "attach", FabricException.WHOLE_SEGMENT);
        }
        return TcpHandshake.HANDSHAKE.readTold(answer);
    }

    private RuntimeException refused(Refusal refusal, PeerAddress peerAddress, InetSocketAddress address, String verb,
            long offset) throws NotMetException {
        if (refusal == Refusal.OTHER_WORLD || refusal == Refusal.OTHER_LAYOUT) {
            return refusal.mismatch(peerAddress.rank());
        }
        RankUnreachableException unreachable = new RankUnreachableException(refusal.words(), "incarnation="
                + incarnation + " expectedIncarnation=" + peerAddress.incarnation() + " expectedBorn="
                + peerAddress.born()
                + " address="
                + peerAddress.describe(address) + settings(refusal), verb, peerAddress.rank(), offset);
        if (refusal == Refusal.NOT_MET) {
            throw new NotMetException(unreachable);
        }
        return unreachable;
    }

    /** Returns the own settings where the other process may have others. */
    private String settings(Refusal refusal) {
        return switch (refusal) {
            case UNPROVED, OTHER_ENCRYPTION, UNTRUSTED -> TcpHandshake.settings(keys, encryption);
            default -> "";
        };
    }
}
