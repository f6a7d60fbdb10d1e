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
 * Registered buffers of one size. At most {@link #most} of them are lent at a time. A thread that comes later waits in
 * line.
 *
 * <p>A thread that holds buffers of an operation may itself wait for another thread in this line. Therefore the line
 * must always move. If no buffer comes back for {@link #PATIENCE}, the first thread in line gets one beyond the limit.
 */
final class RegisteredBuffers extends BufferPool<Registered> {

    /** The limit for buffers that each thread keeps: there is none. */
    static final int ANY = Integer.MAX_VALUE;

    static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final LongFunction<Registered> slabs;
    private final int most;
    private final Semaphore places;
    private final AtomicInteger beyond = new AtomicInteger(); // buffers lent without a place
    private volatile long givenBackNanos = System.nanoTime(); // when a buffer last came back

    /**
     * @param slabs registers as many bytes of memory as it is asked for
     * @param most how many buffers are lent at a time
     */
    RegisteredBuffers(LongFunction<Registered> slabs, long bufferBytes, int most) {
        super(bufferBytes, PAUSE);
        this.slabs = slabs;
        this.most = most;
        this.places = new Semaphore(most, true);
    }

    /** Returns how many buffers are lent at a time. */
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
        StackRoom.requireToLock(); // a stack overflow after taking a place would lose the place
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

    /**
     * Waits for a place and returns true, or returns false if the wait limit passes. A thread that is interrupted keeps
     * waiting, since it is in the middle of a verb.
     */
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
