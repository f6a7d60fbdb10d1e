package io.atoll.lock;

import java.util.ArrayList;
import java.util.List;

/** Several locks that are held, until this is closed. */
public final class Acquisitions implements AutoCloseable {

    private final List<Acquisition> held = new ArrayList<>();

    Acquisitions() {}

    void add(Acquisition acquired) {
        held.add(acquired);
    }

    /** In the order in which they were acquired. */
    public List<Acquisition> held() {
        return List.copyOf(held);
    }

    /** Releases them, the last first. */
    @Override
    public void close() {
        held.reversed().forEach(Acquisition::close);
    }
}
