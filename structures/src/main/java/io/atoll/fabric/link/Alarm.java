package io.atoll.fabric.link;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Tells whoever looks after ranks that one may have ended: a connection with it has broken. */
public final class Alarm {

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** @param listener must neither wait nor throw */
    public void listen(Runnable listener) {
        listeners.add(listener);
    }

    /** A connection has broken. */
    public void raise() {
        listeners.forEach(Runnable::run);
    }
}
