package io.atoll.fabric.rdma;

import io.atoll.fabric.BufferPool;
import io.atoll.memory.StackRoom;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;

/**
 * Registered buffers of one size, of which so many are lent at the same time: who comes then waits in line. The buffers of an operation are with a thread that may wait for
 * what one in line holds. So the line moves in any case: if nobody gives a buffer back for {@link #PATIENCE}, the first in line gets one more than there should be.
 */
final class RegisteredBuffers extends BufferPool<Registered> {

    /** Bound of buffers that each thread keeps. */
    static final int ANY = Integer.MAX_VALUE;

    static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final LongFunction<Registered> slabs;
    private final int most;
    private final Semaphore places;
    private final AtomicInteger beyond = new AtomicInteger(); // lent without a place
    private volatile long givenBackNanos = System.nanoTime(); // last

    /**
     * @param slabs registers memory of so many bytes
     * @param most how many are lent at the same time
     */
    RegisteredBuffers(LongFunction<Registered> slabs, long bufferBytes, int most) {
        super(bufferBytes, PAUSE);
        this.slabs = slabs;
        this.most = most;
        this.places = new Semaphore(most, true);
    }

    /** How many are lent at the same time. */
    int most() {
        return most;
    }

    @Override
    protected List<Registered> allocate(long slabBytes, long bytes) {
        Registered slab = slabs.apply(slabBytes);
        List<MemorySegment> parts = cut(slab.bytes(), bytes);
        return parts.stream().map(part -> new Registered(part, slab.key())).toList();
    }

    @Override
    public Registered take() {
        StackRoom.requireToLock(); // else a place might be taken, and not be given back
        if (!awaitPlace()) {
            beyond.incrementAndGet();
        }
        try {
            return super.take();
        } catch (RuntimeException | Error failure) {
            freePlace();
            throw failure;
        }
    }

    @Override
    public void giveBack(Registered buffer) {
        super.giveBack(buffer);
        freePlace();
    }

    /** A thread that is interrupted waits on: it is in the middle of a verb. */
    private boolean awaitPlace() {
        long cameNanos = System.nanoTime();
        boolean interrupted = false;
        try {
            while (true) {
                long givenBack = givenBackNanos;
                long sinceNanos = givenBack - cameNanos > 0 ? givenBack : cameNanos;
                long leftNanos = sinceNanos + PATIENCE.toNanos() - System.nanoTime();
                try {
                    if (places.tryAcquire(Math.max(0, leftNanos), TimeUnit.NANOSECONDS)) {
                        return true;
                    }
                    if (leftNanos <= 0) {
                        return false;
                    }
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void freePlace() {
        givenBackNanos = System.nanoTime();
        if (beyond.getAndUpdate(count -> Math.max(0, count - 1)) == 0) {
            places.release();
        }
    }
}
