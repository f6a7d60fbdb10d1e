package io.atoll.fabric.link;

import java.util.Arrays;
import java.util.function.IntConsumer;

/** Tells its listeners to look at a rank: a connection with it has broken, or the rank has proved itself. */
public final class Alarm implements AutoCloseable {

    private static final IntConsumer[] NOBODY = {};

    private volatile IntConsumer[] listeners = NOBODY; // replaced under the monitor

    /** @param listener receives the rank; must neither wait nor throw */
    public synchronized void listen(IntConsumer listener) {
        IntConsumer[] more = Arrays.copyOf(listeners, listeners.length + 1);
        more[listeners.length] = listener;
        listeners = more;
    }

    /** Tells all listeners about a rank. Allocates nothing: a lack of memory may be the reason. */
    public void raise(int rank) {
        for (IntConsumer listener : listeners) {
            listener.accept(rank);
        }
    }

    /**
     * Removes all listeners. A lane refers to its alarm, and threads keep lanes after the world has ended. Without
     * this, they would keep the listeners too, and so their own memory.
     */
    @Override
    public synchronized void close() {
        listeners = NOBODY;
    }
}
