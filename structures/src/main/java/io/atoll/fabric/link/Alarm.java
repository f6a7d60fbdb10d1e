package io.atoll.fabric.link;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntConsumer;

/** Tells whoever looks after ranks to look at one: a connection with it has broken, or it has proved itself. */
public final class Alarm {

    private final List<IntConsumer> listeners = new CopyOnWriteArrayList<>();

    /** @param listener is told the rank, and must neither wait nor throw */
    public void listen(IntConsumer listener) {
        listeners.add(listener);
    }

    /** There is something to see of the rank. Takes no memory: that may be why. */
    public void raise(int rank) {
        for (int index = 0; index < listeners.size(); index++) { // none is ever removed
            listeners.get(index).accept(rank);
        }
    }
}
