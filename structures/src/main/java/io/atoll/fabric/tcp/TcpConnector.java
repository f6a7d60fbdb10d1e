package io.atoll.fabric.tcp;

import io.atoll.fabric.Clock;
import io.atoll.fabric.link.Addresses;
import io.atoll.fabric.link.Connecting;
import io.atoll.fabric.link.Greeting;
import io.atoll.fabric.link.Meeting;
import io.atoll.fabric.link.Meeting.NotMetException;
import io.atoll.fabric.link.Refusal;
import io.atoll.fabric.link.Request;
import io.atoll.fabric.link.Target;
import io.atoll.failure.FabricException;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * Connects to other ranks, in the name of this one.
 *
 * @param reader of lanes on which virtual threads wait
 * @param keeper of all lanes
 */
record TcpConnector(WorldIdentity world, int rank, int incarnation, LaneReader reader, LaneKeeper keeper, Clock clock)
        implements
            Connecting<TcpLane> {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    @Override
    public TcpLane connect(Target target, int lane, String verb, long offset) {
        return Meeting.persist(clock, () -> attempt(target, lane, verb, offset));
    }

    private TcpLane attempt(Target target, int lane, String verb, long offset) throws NotMetException {
        InetSocketAddress address = Addresses.resolve(target.address(), target.rank(), verb, offset);
        try (Arena arena = Arena.ofConfined(); Dialogue dialogue = Dialogue.begin(address, TIMEOUT)) {
            dialogue.send(request(target, lane, arena));
            MemorySegment answer = arena.allocate(TcpGreeting.ANSWER);
            MemorySegment begin = answer.asSlice(0, Greeting.REFUSAL.byteSize());
            dialogue.receive(begin);
            if (!TcpGreeting.isAccepted(begin)) {
                throw refused(TcpGreeting.readRefusal(begin), target, verb, offset);
            }
            dialogue.receive(answer.asSlice(begin.byteSize()));
            return begin(target, TcpGreeting.readSegmentBytes(answer), dialogue);
        } catch (NotMetException early) {
            throw early;
        } catch (IOException failure) {
            throw unreachable("cannot connect, see whether the rank runs and can be reached", failure, target, verb,
                    offset);
        }
    }

    private TcpLane begin(Target target, long segmentBytes, Dialogue dialogue) throws IOException {
        TcpLane lane = new TcpLane(target.rank(), segmentBytes, dialogue.channel(), reader, keeper, clock);
        dialogue.release();
        keeper.keep(lane);
        return lane;
    }

    private MemorySegment request(Target target, int lane, Arena arena) {
        return TcpGreeting.GREETING
                .write(new Request(world, rank, target.rank(), incarnation, target.incarnation(), lane), arena);
    }

    @Override
    public int ask(int other, InetSocketAddress address) {
        Target target = new Target(other, Greeting.ANY_INCARNATION, address);
        try (Arena arena = Arena.ofConfined(); Dialogue dialogue = Dialogue.begin(address, TIMEOUT)) {
            dialogue.send(request(target, 0, arena));
            MemorySegment answer = arena.allocate(Greeting.REFUSAL);
            dialogue.receive(answer);
            Refusal refusal = TcpGreeting.readRefusal(answer);
            if (refusal != Refusal.OTHER_INCARNATION) {
                throw refused(refusal, target, "attach", FabricException.WHOLE_SEGMENT);
            }
            return TcpGreeting.GREETING.readIncarnation(answer);
        } catch (IOException failure) {
            throw unreachable("cannot ask, see whether the rank runs and can be reached", failure, target, "attach",
                    FabricException.WHOLE_SEGMENT);
        }
    }

    private RuntimeException refused(Refusal refusal, Target target, String verb, long offset) throws NotMetException {
        if (refusal == Refusal.OTHER_WORLD || refusal == Refusal.OTHER_LAYOUT) {
            return new LayoutMismatchException(refusal.words(), target.rank());
        }
        RankUnreachableException unreachable = new RankUnreachableException(refusal.words(), "incarnation="
                + incarnation + " expectedIncarnation=" + target.incarnation() + " address=" + describe(target.address()),
                verb, target.rank(), offset);
        if (refusal == Refusal.NOT_MET) {
            throw new NotMetException(unreachable);
        }
        return unreachable;
    }

    private static RankUnreachableException unreachable(String reason, IOException cause, Target target, String verb,
            long offset) {
        return new RankUnreachableException(reason,
                "cause=[" + cause.getMessage() + "] address=" + describe(target.address()), verb, target.rank(), offset);
    }

    private static String describe(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }
}
