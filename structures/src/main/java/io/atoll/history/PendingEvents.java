package io.atoll.history;

import io.atoll.world.StepObserver;
import io.atoll.world.StructureListener;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Events that wait to be written. Any thread may add one, and does not wait. An event that finds {@value #PLACES}
 * others waiting is counted and forgotten.
 */
public final class PendingEvents {

    /** The maximal number of events that wait. */
    static final int PLACES = 256;

    private final ConcurrentLinkedQueue<Note> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicInteger dropped = new AtomicInteger();
    private volatile Runnable whenAdded = () -> {};

    /** An event that has no number yet. */
    record Note(long atMillis, Event.Kind kind, int subject, byte[] text) {}

    /** @param listener is called when something was added; must neither wait nor throw */
    void whenAdded(Runnable listener) {
        whenAdded = listener;
    }

    /**
     * Adds an event that happens now.
     *
     * @param subject the rank that it happened to, or {@link Event#NO_RANK}
     */
    public void add(Event.Kind kind, int subject, String text) {
        Note note = new Note(System.currentTimeMillis(), kind, subject,
                Words.fitting(text, Event.MAXIMUM_TEXT_BYTES));
        if (count.incrementAndGet() > PLACES) {
            count.decrementAndGet();
            dropped.incrementAndGet();
            return;
        }
        boolean added = false;
        try {
            added = waiting.add(note);
        } finally {
            if (!added) { // there was no memory
                count.decrementAndGet();
            }
        }
        whenAdded.run();
    }

    /** Returns the oldest event; null if none waits. */
    @Nullable Note oldest() {
        return waiting.peek();
    }

    /** Removes the oldest event after it was written. One thread at a time calls this. */
    void removeOldest() {
        if (waiting.poll() != null) {
            count.decrementAndGet();
        }
    }

    /** Returns the number of events that were ever forgotten. */
    int dropped() {
        return dropped.get();
    }

    /** Returns a listener that notes what happens to structures. */
    public StructureListener structures() {
        return (what, structure, rank, change) -> add(switch (what) {
            case GROWN -> Event.Kind.GROWN;
            case MOVED -> Event.Kind.MOVED;
            case PROMISE_BROKEN -> Event.Kind.PROMISE_BROKEN;
        }, rank, Words.fitting(structure, ": " + change, Event.MAXIMUM_TEXT_BYTES));
    }

    /** Returns an observer that runs the work and notes repairs. */
    public StepObserver repairs() {
        return new StepObserver() {

            @Override
            public <T> T run(Step step, String subject, Supplier<T> work) {
                T result = work.get();
                if (step == Step.REPAIR) {
                    add(Event.Kind.REPAIRED, Event.NO_RANK, subject);
                }
                return result;
            }
        };
    }
}
