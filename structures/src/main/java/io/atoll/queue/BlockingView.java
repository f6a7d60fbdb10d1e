package io.atoll.queue;

import io.atoll.fabric.Backoff;
import io.atoll.failure.DrainException;
import java.time.Duration;
import java.util.AbstractQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link CircularQueue} with the methods that {@code java.util} gives a queue. */
final class BlockingView<T> extends AbstractQueue<T> implements BlockingQueue<T> {

    private final CircularQueue<T> queue;

    BlockingView(CircularQueue<T> queue) {
        this.queue = queue;
    }

    @Override
    public boolean offer(T element) {
        return queue.push(element);
    }

    @Override
    public boolean offer(T element, long timeout, TimeUnit unit) throws InterruptedException {
        return queue.offer(element, duration(timeout, unit));
    }

    @Override
    public void put(T element) throws InterruptedException {
        queue.put(element);
    }

    @Override
    public @Nullable T poll() {
        return queue.pop();
    }

    @Override
    public @Nullable T poll(long timeout, TimeUnit unit) throws InterruptedException {
        return queue.poll(duration(timeout, unit));
    }

    @Override
    public T take() throws InterruptedException {
        return queue.take();
    }

    /** A caller may pass {@link Long#MAX_VALUE} for a wait without end, in any unit. */
    private static Duration duration(long timeout, TimeUnit unit) {
        return Duration.ofNanos(Math.min(unit.toNanos(timeout), Backoff.UNBOUNDED.toNanos()));
    }

    @Override
    public @Nullable T peek() {
        return queue.peek();
    }

    @Override
    public int size() {
        return (int) Math.min(queue.size(), Integer.MAX_VALUE);
    }

    @Override
    public int remainingCapacity() {
        return (int) Math.min(queue.remainingCapacity(), Integer.MAX_VALUE);
    }

    @Override
    public Iterator<T> iterator() {
        List<T> elements = new ArrayList<>();
        queue.forEach(elements::add);
        return Collections.unmodifiableList(elements).iterator();
    }

    @Override
    public int drainTo(Collection<? super T> target) {
        return drainTo(target, Integer.MAX_VALUE);
    }

    /**
     * Several elements leave the queue at once. So elements that the target refuses are in neither of the two.
     *
     * @throws io.atoll.failure.DrainException with the element that the target refuses, and those that had left the
     * queue with it
     */
    @Override
    public int drainTo(Collection<? super T> target, int most) {
        if (Objects.requireNonNull(target, "target") == this) {
            throw new IllegalArgumentException("a queue is not drained to itself: queue=" + queue.name());
        }
        // Leaves the elements that come meanwhile. Otherwise this might never end.
        int there = Math.min(most, size());
        int drained = 0;
        boolean more = true;
        while (more && drained < there) {
            List<T> elements = queue.pop(Math.min(there - drained, queue.maxBatchSize()));
            handOver(elements, target);
            drained += elements.size();
            more = !elements.isEmpty();
        }
        return drained;
    }

    private void handOver(List<T> elements, Collection<? super T> target) {
        for (int at = 0; at < elements.size(); at++) {
            try {
                target.add(elements.get(at));
            } catch (Throwable refusal) {
                throw DrainException.of(queue.name(), elements.subList(at, elements.size()), refusal);
            }
        }
    }
}
