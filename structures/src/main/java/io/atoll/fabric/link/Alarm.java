package io.atoll.fabric.link;

import java.util.Arrays;
import java.util.function.IntConsumer;

/** Tells whoever looks after ranks to look at one: a connection with it has broken, or it has proved itself. */
public final class Alarm implements AutoCloseable {

    private static final IntConsumer[] NOBODY = {};

    private volatile IntConsumer[] listeners = NOBODY; // replaced under the monitor

    /** @param listener is told the rank, and must neither wait nor throw */
    public synchronized void listen(IntConsumer listener) {
        IntConsumer[] more = Arrays.copyOf(listeners, listeners.length + 1);
        more[listeners.length] = listener;
        listeners = more;
    }

    /** There is something to see of the rank. Takes no memory: that may be why. */
    public void raise(int rank) {
        for (IntConsumer listener : listeners) {
            listener.accept(rank);
        }
    }

    /**
     * Nobody is told any more. A lane knows its alarm, and outlives the world in what its threads have: it would keep
     * all that listens, and so its own threads' memory.
     */
    @Override
    public synchronized void close() {
        listeners = NOBODY;
    }
}
