package io.atoll.fabric.rdma;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC.IbvWcStatus;
import io.atoll.disni.Completions;
import io.atoll.disni.NativeFunction;
import io.atoll.disni.SendChain;
import io.atoll.disni.SendWorkRequest;
import io.atoll.fabric.Clock;
import io.atoll.fabric.LateVerbs;
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
 * A connected queue pair to a rank. Work requests are numbered, and a reliable connection completes them in this order.
 *
 * <p>Only some requests ask for a completion (they are signaled). A request is signaled if a thread waits for it. One
 * is also signaled now and then, because only completions give back the queue's places. A waiting thread polls on
 * behalf of all threads.
 *
 * <p>Threads post under the lane's monitor. They poll one at a time, without the monitor. A lane that has failed never
 * recovers. An error in a thread that uses the lane breaks it: it is then unknown what was posted and which completions
 * were lost. From then on nothing arrives in that thread's memory.
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

    // Written under the monitor. The first two are also read without it. A thread that waits for a request knows that
    // it was posted. An outdated lastSignaled costs at most one extra marker.
    private long posted;
    private long lastSignaled;
    private long lastReadOrAtomic;
    private long lastUnawaited;
    private volatile @Nullable String closed; // the reason, once it is closed

    // Written by the thread that polls.
    private final AtomicBoolean polling = new AtomicBoolean();
    private volatile long completed;
    private int fruitless; // successive polls that found nothing
    private long lookedNanos;

    private final LateVerbs.Connection late = new LateVerbs.Connection(); // begins before the lane breaks

    // Guarded by a lock of its own: the polling thread may find a failure while a thread that waits for room holds the
    // monitor. Noting a failure allocates nothing, since memory may have run out.
    private final Object failing = new Object();
    private volatile long failed = NONE; // number of the first request that failed
    private volatile String status = ""; // the reason; written before the number

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

    /** Returns a write of no bytes. It completes when all requests before it have completed. */
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

    /** Returns where the rank's segment is. */
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

    /** Returns true if the device has given up after it repeated a request again and again without an answer. */
    @Override
    public boolean hasFallenSilent() {
        return failed != NONE && status.equals(UNANSWERED);
    }

    /**
     * Polls first, because on an unused lane no thread polls. Requests that ask for no completion do not count: they
     * wait for none.
     */
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

    @Override
    public LateVerbs.Connection late() {
        return late;
    }

    /**
     * Posts linked requests.
     *
     * @param count the number of requests, at most half the depth
     * @param awaited true if a thread will {@link #await} the last request
     * @return the number of the last request
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
     * The InfiniBand Architecture (volume 1, ordering of work requests) keeps every order but one. Writes and atomics
     * may overtake earlier reads and atomics, unless they are fenced.
     */
    private int order(int opcode, long number) {
        boolean mayPass = opcode != IbvSendWR.IBV_WR_RDMA_READ && lastReadOrAtomic > completed;
        if (opcode != IbvSendWR.IBV_WR_RDMA_WRITE) {
            lastReadOrAtomic = number;
        }
        return mayPass ? IbvSendWR.IBV_SEND_FENCE : 0;
    }

    /**
     * Posts a chain. If the queue does not take the whole chain, it may have taken some of its requests. No completion
     * reports requests behind the last signaled one, so a waiter would wait for them for ever. Therefore they count as
     * failed. When this returns after such a failure, no request of the chain uses memory any more.
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

    /** Breaks the lane after an error. All requests that have not completed count as failed and never arrive. */
    private void giveUp() {
        breakOff(completed + 1, ERROR);
    }

    /**
     * Breaks the lane. When this returns, nothing that was posted arrives any more. The alarm comes last, because it
     * may meet an error, too.
     */
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

    /** Posts a marker, so that a completion reports what was posted without asking for one. */
    private void mark(String verb, long offset) {
        synchronized (marker) { // all threads share one marker
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

    /**
     * Asks whether the peer has ended the connection. A peer that ends says so, long before the device gives up
     * reaching it. This thread asks only if it has time, because it found no completions.
     */
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

    /** Returns true if the lane was usable until now. */
    private boolean note(long number, String why) {
        synchronized (failing) {
            boolean isNew = isUsable();
            // The first failed request has the reason. Those behind it are merely flushed.
            if (number < failed) {
                try {
                    late.begin();
                } finally {
                    status = why;
                    failed = number;
                }
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
            late.begin(); // again: an error may have come before it when the lane broke
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
            // No thread posts, since this thread holds the monitor. From here on no other thread polls, either.
            while (!polling.compareAndSet(false, true)) {
                Thread.onSpinWait();
            }
            try {
                wire.cut();
            } finally {
                // Set only when nothing arrives any more: a thread that sees it may reuse the memory at once.
                closed = why;
            }
            wire.destroy();
        }
    }
}
