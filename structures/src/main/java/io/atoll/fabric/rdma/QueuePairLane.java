package io.atoll.fabric.rdma;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC.IbvWcStatus;
import io.atoll.disni.Completions;
import io.atoll.disni.NativeFunction;
import io.atoll.disni.SendChain;
import io.atoll.disni.SendWorkRequest;
import io.atoll.fabric.Clock;
import io.atoll.fabric.link.Alarm;
import io.atoll.fabric.link.Lane;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A connected queue pair to a rank. Work requests are numbered, and a reliable connection completes them in that order. Only some requests ask for a completion (are
 * signaled): those that somebody waits for, and one now and then, since the queue's places are given back by completions
 * only. A thread that waits polls, for all.
 *
 * <p>Threads post under the lane's monitor, and poll one at a time without it. A lane that has failed stays so. An error
 * in a thread that uses it breaks it, since nobody knows what was posted, or which completions were lost. What the
 * thread had under way comes into its memory no more.
 */
final class QueuePairLane implements Lane {

    private static final int POLLS_PER_GLANCE = 64; // at the clock
    private static final long LOOK_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int SUCCESS = IbvWcStatus.IBV_WC_SUCCESS.ordinal();
    private static final String UNANSWERED = Completions.statusName(IbvWcStatus.IBV_WC_RETRY_EXC_ERR.ordinal());
    private static final String ERROR = "an error in a thread that used the connection";
    private static final long NONE = Long.MAX_VALUE;

    private final int rank;
    private final RemoteSegment remote;
    private final Wire wire;
    private final int depth;
    private final int signalInterval;
    private final Clock clock;
    private final Alarm alarm;
    private final SendChain marker;
    private final Wire.Completed taking = this::take;

    // Written under the monitor. The first two are read without it, too: who waits for a request knows that it was posted, and an old value
    // of what was signaled costs a marker at most.
    private long posted;
    private long lastSignaled;
    private long lastReadOrAtomic;
    private long lastUnawaited;
    private volatile @Nullable String closed; // why

    // Written by whoever polls.
    private final AtomicBoolean polling = new AtomicBoolean();
    private volatile long completed;
    private int fruitless; // polls in a row
    private long lookedNanos;

    // Guarded by a lock of its own: whoever polls may find a failure while another, who waits for room, holds the monitor.
    // Noting a failure takes no memory: there may be none.
    private final Object failing = new Object();
    private volatile long failed = NONE; // the first request
    private volatile String status = ""; // why; written before the former

    /** @param alarm is raised when the lane breaks */
    QueuePairLane(int rank, RemoteSegment remote, Wire wire, int depth, Clock clock, Alarm alarm) {
        this.rank = rank;
        this.remote = remote;
        this.wire = wire;
        this.depth = depth;
        this.signalInterval = depth / 4;
        this.clock = clock;
        this.alarm = alarm;
        this.marker = marker(remote);
    }

    /** A write of nothing: it completes when all before it have. */
    private static SendChain marker(RemoteSegment remote) {
        IbvSendWR request = new IbvSendWR();
        request.setOpcode(IbvSendWR.IBV_WR_RDMA_WRITE);
        request.getRdma().setRemote_addr(remote.address());
        request.getRdma().setRkey(remote.key());
        return new SendChain(List.of(request));
    }

    @Override
    public long segmentBytes() {
        return remote.bytes();
    }

    /** Where the rank's segment is. */
    public RemoteSegment remote() {
        return remote;
    }

    @Override
    public boolean isUsable() {
        return closed == null && failed == NONE;
    }

    @Override
    public @Nullable String broken() {
        String why = closed;
        if (why == null && failed != NONE) {
            return status;
        }
        return why;
    }

    /** The device has asked the other one again and again. */
    @Override
    public boolean hasFallenSilent() {
        return failed != NONE && status.equals(UNANSWERED);
    }

    /** Looks what has completed: nobody does on a lane that is not used. Requests that ask for no completion wait for none. */
    @Override
    public long unanswered() {
        try {
            poll();
        } catch (Error error) {
            giveUp();
            throw error;
        }
        return isUsable() ? Math.max(0, lastSignaled - completed) : 0;
    }

    @Override
    public long posted() {
        return posted;
    }

    @Override
    public boolean hasLostWrites() {
        synchronized (this) {
            return !isUsable() && lastUnawaited > completed;
        }
    }

    /**
     * Posts requests that are linked.
     *
     * @param count of them, at most half the depth
     * @param awaited whether somebody will {@link #await} the last
     * @return the number of the last
     */
    public long post(SendChain chain, int first, int last, int count, boolean awaited, String verb, long offset) {
        try {
            return postLinked(chain, first, last, count, awaited, verb, offset);
        } catch (Error error) {
            giveUp();
            throw error;
        }
    }

    private long postLinked(SendChain chain, int first, int last, int count, boolean awaited, String verb,
            long offset) {
        for (int attempt = 0;; attempt++) {
            synchronized (this) {
                check(posted + count, verb, offset);
                if (posted + count - completed <= depth) {
                    long signaledBefore = lastSignaled;
                    number(chain, first, last, awaited);
                    lastUnawaited = awaited ? lastUnawaited : posted;
                    post(chain, first, signaledBefore);
                    check(posted, verb, offset);
                    return posted;
                }
            }
            if (!poll()) {
                clock.pause(attempt);
            }
        }
    }

    private void number(SendChain chain, int first, int last, boolean awaited) {
        long number = posted;
        for (int index = first;; index = chain.next(index)) {
            SendWorkRequest request = chain.request(index);
            request.setWr_id(++number);
            boolean signaled = index == last && awaited || number - lastSignaled >= signalInterval;
            request.setSend_flags(order(request.getOpcode(), number) | (signaled ? IbvSendWR.IBV_SEND_SIGNALED : 0)
                    | (isInline(request) ? IbvSendWR.IBV_SEND_INLINE : 0));
            if (signaled) {
                lastSignaled = number;
            }
            if (index == last) {
                break;
            }
        }
        posted = number;
    }

    private boolean isInline(SendWorkRequest request) {
        return request.getOpcode() == IbvSendWR.IBV_WR_RDMA_WRITE && request.getNum_sge() == 1
                && request.getSgeMod(0).getLength() <= wire.maximumInlineBytes();
    }

    /**
     * The specification (InfiniBand Architecture, volume 1, ordering of work requests) keeps every order but this: writes and atomics may pass
     * earlier reads and atomics, unless they are fenced.
     */
    private int order(int opcode, long number) {
        boolean mayPass = opcode != IbvSendWR.IBV_WR_RDMA_READ && lastReadOrAtomic > completed;
        if (opcode != IbvSendWR.IBV_WR_RDMA_WRITE) {
            lastReadOrAtomic = number;
        }
        return mayPass ? IbvSendWR.IBV_SEND_FENCE : 0;
    }

    /**
     * Of a chain that is not taken as a whole, some requests may have been. No completion tells of those that were posted behind the last that has asked for one before, so whoever waits for one of
     * them would wait for ever: they count as failed. The memory of all of them is free when this returns.
     */
    private void post(SendChain chain, int first, long signaledBefore) {
        String rejected = ERROR;
        try {
            int error = wire.post(chain, first);
            rejected = error == 0 ? null : NativeFunction.describe(Math.abs(error));
        } catch (IOException failure) {
            throw new IllegalStateException("a lane is closed under its monitor only", failure);
        } finally {
            if (rejected != null) {
                breakOff(signaledBefore + 1, rejected);
            }
        }
    }

    /** An error has come between: what has not completed counts as failed, and arrives no more. */
    private void giveUp() {
        breakOff(completed + 1, ERROR);
    }

    /** When it returns, nothing that was posted arrives any more. The alarm comes last: it may meet an error, too. */
    private void breakOff(long first, String why) {
        boolean isNew = note(first, why);
        breakOff();
        if (isNew) {
            alarm.raise(rank);
        }
    }

    private void breakOff() {
        synchronized (this) {
            if (closed == null) {
                try {
                    wire.breakOff();
                } catch (IOException destroyed) {
                    throw new IllegalStateException("a lane is closed under its monitor only", destroyed);
                }
            }
        }
    }

    @Override
    public boolean isDone(long number, String verb, long offset) {
        try {
            return isCompleted(number, verb, offset);
        } catch (Error error) {
            giveUp();
            throw error;
        }
    }

    private boolean isCompleted(long number, String verb, long offset) {
        if (completed >= number) {
            return true;
        }
        check(number, verb, offset);
        if (lastSignaled < number) {
            mark(verb, offset);
        }
        poll();
        return completed >= number;
    }

    @Override
    public void await(long number, String verb, long offset) {
        try {
            for (int attempt = 0; !isCompleted(number, verb, offset); attempt++) {
                clock.pause(attempt);
            }
        } catch (Error error) {
            giveUp();
            throw error;
        }
    }

    @Override
    public void flush() {
        await(posted, "flush", FabricException.WHOLE_SEGMENT);
    }

    /** Asks for a completion of what was posted without. */
    private void mark(String verb, long offset) {
        synchronized (marker) { // one chain, for whoever comes
            if (lastSignaled < posted) {
                post(marker, 0, 0, 1, true, verb, offset);
            }
        }
    }

    private boolean poll() {
        if (!polling.compareAndSet(false, true)) {
            return false;
        }
        try {
            int found = wire.poll(taking);
            if (found == 0) {
                lookForDisconnection();
            } else {
                fruitless = 0;
            }
            return found > 0;
        } catch (IOException failure) {
            fail(completed + 1, String.valueOf(failure.getMessage()));
            return true;
        } finally {
            polling.setRelease(false);
        }
    }

    /** A peer that has ended says so, long before the device gives up trying to reach it. Looked for only when there is time. */
    private void lookForDisconnection() throws IOException {
        if (++fruitless % POLLS_PER_GLANCE != 0) {
            return;
        }
        long nowNanos = System.nanoTime();
        if (fruitless == POLLS_PER_GLANCE) {
            lookedNanos = nowNanos;
        } else if (nowNanos - lookedNanos > LOOK_INTERVAL_NANOS) {
            lookedNanos = nowNanos;
            String ended = wire.disconnection();
            if (ended != null) {
                fail(completed + 1, ended);
            }
        }
    }

    private void take(long number, int status) {
        if (status == SUCCESS) {
            completed = number;
        } else {
            fail(number, Completions.statusName(status));
        }
    }

    private void fail(long number, String why) {
        if (note(number, why)) {
            alarm.raise(rank);
        }
    }

    /** Returns whether the lane has just broken by that. */
    private boolean note(long number, String why) {
        synchronized (failing) {
            boolean isNew = isUsable();
            // The first tells why; those behind it are merely flushed.
            if (number < failed) {
                status = why;
                failed = number;
            }
            return isNew;
        }
    }

    private void check(long number, String verb, long offset) {
        String why = closed;
        if (why != null && completed < number) {
            throw new RankUnreachableException(why, verb, rank, offset);
        }
        if (failed <= number) {
            throw new RankUnreachableException("the connection broke, repeat the operation", "status=[" + status + "]",
                    verb, rank, offset);
        }
    }

    @Override
    public void close(String why) throws IOException {
        synchronized (this) {
            if (closed != null) {
                return;
            }
            // Nobody posts, as this holds the monitor; nobody may be polling either, from now on.
            while (!polling.compareAndSet(false, true)) {
                Thread.onSpinWait();
            }
            try {
                wire.cut();
            } finally {
                closed = why; // not before nothing arrives any more: who is told may use the memory for something else
            }
            wire.destroy();
        }
    }
}
