package io.atoll.fabric.rdma;

import com.ibm.disni.verbs.IbvSendWR;
import io.atoll.disni.SendChain;
import io.atoll.disni.SendWorkRequest;
import io.atoll.fabric.Clock;
import io.atoll.fabric.link.Alarm;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A connection without a device. What is posted takes effect when somebody polls: as late as it may, so that memory which is used again too early is found out. The structs are read when they are
 * posted, as a driver does.
 */
public final class LoopbackWire implements Wire {

    private static final int SUCCESS = 0;
    private static final int FLUSHED = 5;

    private record Request(long number, int opcode, boolean signaled, MemorySegment local, MemorySegment remote,
            long first, long second) {

        void execute() {
            switch (opcode) {
                case IbvSendWR.IBV_WR_RDMA_READ -> local.copyFrom(remote);
                case IbvSendWR.IBV_WR_RDMA_WRITE -> remote.copyFrom(local);
                default -> {
                    long old = remote.get(ValueLayout.JAVA_LONG, 0);
                    local.set(ValueLayout.JAVA_LONG, 0, old);
                    if (opcode == IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD) {
                        remote.set(ValueLayout.JAVA_LONG, 0, old + first);
                    } else if (old == first) {
                        remote.set(ValueLayout.JAVA_LONG, 0, second);
                    }
                }
            }
        }
    }

    private final Deque<Request> underWay = new ArrayDeque<>();
    private boolean broken;
    private @Nullable Error errorWhilePosting;
    private @Nullable Error errorWhilePolling;

    private LoopbackWire() {}

    /** What a test does with a connection. */
    public record Connected(QueuePairLane lane, LoopbackWire wire) {}

    /** A lane whose requests act on the segment. */
    public static Connected to(int rank, MemorySegment segment, int depth) {
        LoopbackWire wire = new LoopbackWire();
        return new Connected(
                new QueuePairLane(rank, new RemoteSegment(segment.address(), segment.byteSize(), 0), wire, depth,
                        Clock.SYSTEM, new Alarm()),
                wire);
    }

    /** What is under way, and all that is posted from now on, fails. */
    public synchronized void breakDown() {
        broken = true;
    }

    /** The next that posts has posted when it meets the error. */
    public synchronized void failPosting(Error error) {
        errorWhilePosting = error;
    }

    /** The next that polls meets the error. */
    public synchronized void failPolling(Error error) {
        errorWhilePolling = error;
    }

    /** What is under way takes effect now. */
    public void deliver() {
        poll((_, _) -> {});
    }

    @Override
    public int maximumInlineBytes() {
        return 0;
    }

    @Override
    public synchronized int post(SendChain chain, int first) {
        for (int index = first; index >= 0; index = chain.next(index)) {
            SendWorkRequest request = chain.request(index);
            boolean isAtomic = request.getOpcode() != IbvSendWR.IBV_WR_RDMA_READ
                    && request.getOpcode() != IbvSendWR.IBV_WR_RDMA_WRITE;
            boolean isEmpty = request.getNum_sge() == 0;
            long bytes = isEmpty ? 0 : request.getSgeMod(0).getLength();
            underWay.add(new Request(request.getWr_id(), request.getOpcode(),
                    (request.getSend_flags() & IbvSendWR.IBV_SEND_SIGNALED) != 0,
                    isEmpty ? MemorySegment.NULL : at(request.getSgeMod(0).getAddr(), bytes),
                    at(isAtomic ? request.getAtomicMod().getRemote_addr() : request.getRdmaMod().getRemote_addr(),
                            bytes),
                    isAtomic ? request.getAtomicMod().getCompare_add() : 0,
                    isAtomic ? request.getAtomicMod().getSwap() : 0));
        }
        Error error = errorWhilePosting;
        errorWhilePosting = null;
        throwIfAny(error);
        return 0;
    }

    @SuppressWarnings("restricted") // the addresses of a work request are all that a device knows
    private static MemorySegment at(long address, long bytes) {
        return MemorySegment.ofAddress(address).reinterpret(bytes);
    }

    @Override
    public synchronized int poll(Completed completed) {
        Error error = errorWhilePolling;
        errorWhilePolling = null;
        throwIfAny(error);
        int count = 0;
        while (!underWay.isEmpty()) {
            Request request = underWay.remove();
            if (!broken) {
                request.execute();
            }
            if (request.signaled() || broken) {
                completed.take(request.number(), broken ? FLUSHED : SUCCESS);
                count++;
            }
        }
        return count;
    }

    @Override
    public @Nullable String disconnection() {
        return null;
    }

    private static void throwIfAny(@Nullable Error error) {
        if (error != null) {
            throw error;
        }
    }

    @Override
    public void breakOff() {
        breakDown();
    }

    @Override
    public void cut() {
        breakDown();
    }

    @Override
    public void destroy() {
        // There is nothing to give back.
    }
}
