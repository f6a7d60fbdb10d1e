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
 * A connection without a device. A posted request takes effect when a thread polls. That is as late as possible, so
 * that the test finds memory that is used again too early. The structs are read when they are posted, as a driver does.
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

    /** A connection for a test. */
    public record Connected(QueuePairLane lane, LoopbackWire wire) {}

    /** Returns a lane whose requests act on the segment. */
    public static Connected to(int rank, MemorySegment segment, int depth) {
        LoopbackWire wire = new LoopbackWire();
        return new Connected(
                new QueuePairLane(rank, new RemoteSegment(segment.address(), segment.byteSize(), 0), wire, depth,
                        Clock.SYSTEM, new Alarm()),
                wire);
    }

    /** Breaks the connection. Everything under way fails, and so does everything posted from now on. */
    public synchronized void breakDown() {
        broken = true;
    }

    /** Makes the next post throw the error after it has posted. */
    public synchronized void failPosting(Error error) {
        errorWhilePosting = error;
    }

    /** Makes the next poll throw the error. */
    public synchronized void failPolling(Error error) {
        errorWhilePolling = error;
    }

    /** Makes everything under way take effect now. */
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

    @SuppressWarnings("restricted") // a device knows only the addresses of a work request
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
        // There is nothing to free.
    }
}
