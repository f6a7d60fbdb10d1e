package io.atoll.world;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a structure works on, found on first use. So a structure can be held before the world is whole; once it has been used, that costs a null
 * check.
 *
 * @param <T> has nothing but final fields
 */
public final class Handle<T> {

    private final Supplier<T> opening;

    // Plain: final fields let a reader that races see all of it or null. Threads that find null at once all open it, none waits for another's
    // time to end, and what they find is the same.
    private @Nullable T opened;

    /** @param opening finds it; a failure is the user's, and the next use tries again */
    public Handle(Supplier<T> opening) {
        this.opening = opening;
    }

    public T opened() {
        T known = opened;
        return known != null ? known : open();
    }

    private T open() {
        T found = opening.get();
        opened = found;
        return found;
    }
}
