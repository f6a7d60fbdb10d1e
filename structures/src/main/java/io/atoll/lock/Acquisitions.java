package io.atoll.lock;

import io.atoll.memory.StackRoom;
import java.util.Arrays;
import java.util.List;

/** Several locks that are held, until this is closed. */
public final class Acquisitions implements AutoCloseable {

    private final Acquisition[] acquired;
    private int count;
    private int open; // the first so many

    /** @param most that are added: there is room for them before the first lock is acquired */
    Acquisitions(int most) {
        this.acquired = new Acquisition[most];
    }

    void add(Acquisition next) {
        acquired[count++] = next;
        open = count;
    }

    /** In the order in which they were acquired. */
    public List<Acquisition> held() {
        return List.of(Arrays.copyOf(acquired, count));
    }

    /** Releases them, the last first. As {@link Acquisition#close}. */
    @Override
    public void close() {
        try {
            StackRoom.requireToRelease();
            while (open > 0) {
                acquired[open - 1].close();
                open--;
            }
        } catch (Error broken) {
            for (int number = 0; number < open; number++) {
                acquired[number].claim.mine.abandoned = acquired[number].claim; // no call: the stack may be full
            }
            throw broken;
        }
    }
}
