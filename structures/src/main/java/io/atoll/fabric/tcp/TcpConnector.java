package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.atoll.fabric.Clock;
import io.atoll.fabric.link.AddressesInTurn;
import io.atoll.fabric.link.Connecting;
import io.atoll.fabric.link.Greeting;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.Meeting;
import io.atoll.fabric.link.Meeting.NotMetException;
import io.atoll.fabric.link.Patience;
import io.atoll.fabric.link.Refusal;
import io.atoll.fabric.link.Request;
import io.atoll.fabric.link.Target;
import io.atoll.fabric.link.Told;
import io.atoll.failure.FabricException;
import io.atoll.failure.LayoutMismatchException;
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
 * @param keeper looks after all lanes
 * @param timeout how long making a connection may take
 * @param attempts counts the attempts of all threads to connect
 * @param addresses the addresses of the ranks
 */
record TcpConnector(WorldIdentity world, int rank, int incarnation, LocalMemory segment, Keys keys,
        @Nullable Encryption encryption, LaneReader reader, LaneKeeper keeper,
        Clock clock, Duration timeout, AtomicInteger attempts, AddressesInTurn addresses)
        implements
            Connecting<TcpLane> {

    private static final String UNTRUSTED = "the certificates of the two processes do not let them trust each other,"
            + " correct them or the names of the ranks";

    /** Returns the shorter one of the timeout and the time for which a lane may be silent. */
    @Override
    public Duration timeoutAnew() {
        Duration silence = keeper.silenceTimeout();
        return silence.compareTo(timeout) < 0 ? silence : timeout;
    }

    @Override
    public TcpLane connect(Target target, int lane, Patience patience, String verb, long offset) {
        return Meeting.persist(patience, () -> addresses.connect(target, patience, verb, offset,
                address -> converse(target, address, patience, verb, offset, (dialogue, arena) -> {
                    MemorySegment answer = greet(target, lane, dialogue, arena);
                    if (!TcpGreeting.isAccepted(answer)) {
                        throw refused(TcpGreeting.readRefusal(answer), target, address, verb, offset);
                    }
                    return begin(target, TcpGreeting.readSegmentBytes(answer), dialogue);
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

    private static <T> T converse(Target target, InetSocketAddress address, Patience patience, String verb,
            long offset, Conversation<T> conversation) throws IOException {
        try (Arena arena = Arena.ofConfined(); Dialogue dialogue = begin(address, patience)) {
            return conversation.hold(dialogue, arena);
        } catch (SSLHandshakeException untrusted) {
            throw new RankUnreachableException(UNTRUSTED,
                    "cause=[" + untrusted.getMessage() + "] address=" + target.describe(address), verb, target.rank(),
                    offset);
        }
    }

    private static Dialogue begin(InetSocketAddress address, Patience patience) throws IOException {
        return Dialogue.begin(SocketChannel.open(), address, patience);
    }

    private TcpLane begin(Target target, long segmentBytes, Dialogue dialogue) throws IOException {
        TcpLane lane = new TcpLane(target.rank(), segmentBytes, dialogue.wire(), reader, keeper, clock);
        dialogue.release();
        boolean isKept = false;
        try {
            keeper.keep(lane);
            isKept = true;
        } finally {
            if (!isKept) {
                lane.close("the connection could not be made");
            }
        }
        return lane;
    }

    /**
     * Greets the owner. Returns its answer, or only the first bytes of it if the owner refuses. If there is a secret,
     * an owner that has not proved to know it counts only as one that lacks it.
     */
    private MemorySegment greet(Target target, int lane, Dialogue dialogue, Arena arena) throws IOException {
        Request request = new Request(world, rank, target.rank(), incarnation, target.incarnation(), lane,
                attempts.incrementAndGet()).of(target.born(), SegmentHeader.lastKnown(segment, target.rank()));
        MemorySegment hello = TcpGreeting.hello(request, keys.areNeeded(), arena);
        dialogue.send(TcpGreeting.preamble(encryption != null, arena));
        if (encryption != null) {
            try {
                dialogue.encrypt(encryption);
            } catch (SSLHandshakeException untrusted) {
                throw untrusted;
            } catch (SSLException plain) {
                return TcpGreeting.GREETING.write(Refusal.OTHER_ENCRYPTION, Told.NOTHING, arena);
            }
        }
        dialogue.send(hello);
        MemorySegment begin = arena.allocate(Greeting.REFUSAL);
        dialogue.receive(begin);
        if (keys.areNeeded()) {
            return TcpGreeting.isChallenged(begin) ? prove(hello, begin, dialogue, arena) : unproved(begin, arena);
        }
        return TcpGreeting.isAccepted(begin) ? rest(begin, TcpGreeting.ANSWER, dialogue, arena) : begin;
    }

    /**
     * Returns a refusal in place of the answer of an owner that has asked for no proof. Such an owner has not proved
     * anything, so it is believed only that it refuses.
     */
    private static MemorySegment unproved(MemorySegment begin, Arena arena) {
        Refusal refusal = TcpGreeting.readRefusal(begin);
        boolean isOfTheSetup = refusal == Refusal.OTHER_LAYOUT || refusal == Refusal.OTHER_ENCRYPTION
                || refusal == Refusal.UNTRUSTED;
        return TcpGreeting.GREETING.write(isOfTheSetup ? refusal : Refusal.UNPROVED, Told.NOTHING, arena);
    }

    private MemorySegment prove(MemorySegment hello, MemorySegment begin, Dialogue dialogue, Arena arena)
            throws IOException {
        byte[] asked = hello.toArray(JAVA_BYTE);
        byte[] challenged = rest(begin, TcpGreeting.CHALLENGE, dialogue, arena).toArray(JAVA_BYTE);
        dialogue.send(MemorySegment.ofArray(keys.proofs(Keys.CALLER, asked, challenged,
                dialogue.wire().binding())));
        MemorySegment answerBegin = arena.allocate(Greeting.REFUSAL);
        dialogue.receive(answerBegin);
        if (TcpGreeting.readRefusal(answerBegin) == Refusal.UNPROVED) {
            return answerBegin;
        }
        MemorySegment answer = rest(answerBegin, TcpGreeting.ANSWER, dialogue, arena);
        byte[] proof = new byte[Keys.PROOF_BYTES];
        dialogue.receive(MemorySegment.ofArray(proof));
        int key = keys.matching(proof, Keys.OWNER, asked, challenged, answer.toArray(JAVA_BYTE),
                dialogue.wire().binding());
        return key == Keys.NONE ? TcpGreeting.GREETING.write(Refusal.UNPROVED, Told.NOTHING, arena) : answer;
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
    public Told ask(int other, InetSocketAddress address, Duration within) {
        Target target = new Target(other, Greeting.ANY_INCARNATION, address);
        Patience patience = Patience.of(Clock.SYSTEM, within);
        try {
            return addresses.connect(target, patience, "attach", FabricException.WHOLE_SEGMENT,
                    each -> converse(target, each, patience, "attach", FabricException.WHOLE_SEGMENT,
                            (dialogue, arena) -> told(target, each, greet(target, 0, dialogue, arena))));
        } catch (NotMetException early) {
            throw early.refusal();
        }
    }

    /**
     * Returns what an owner tells. The request names an incarnation that does not exist, so the owner must refuse it.
     */
    private Told told(Target target, InetSocketAddress address, MemorySegment answer) throws NotMetException {
        Refusal refusal = TcpGreeting.readRefusal(answer);
        if (refusal != Refusal.OTHER_INCARNATION) {
            throw refused(refusal, target, address, "attach", FabricException.WHOLE_SEGMENT);
        }
        return TcpGreeting.GREETING.readTold(answer);
    }

    private RuntimeException refused(Refusal refusal, Target target, InetSocketAddress address, String verb,
            long offset) throws NotMetException {
        if (refusal == Refusal.OTHER_WORLD || refusal == Refusal.OTHER_LAYOUT) {
            return new LayoutMismatchException(refusal.words(), target.rank());
        }
        RankUnreachableException unreachable = new RankUnreachableException(refusal.words(), "incarnation="
                + incarnation + " expectedIncarnation=" + target.incarnation() + " expectedBorn=" + target.born()
                + " address="
                + target.describe(address), verb, target.rank(), offset);
        if (refusal == Refusal.NOT_MET) {
            throw new NotMetException(unreachable);
        }
        return unreachable;
    }
}
