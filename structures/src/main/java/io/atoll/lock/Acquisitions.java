package io.atoll.lock;

import io.atoll.memory.StackRoom;
import java.util.Arrays;
import java.util.List;

/** Several locks that are held together until this object is closed. */
public final class Acquisitions implements AutoCloseable {

    private final Acquisition[] acquired;
    private int count;
    private int open; // number of locks, from the first, that are still held

    /**
     * @param most the largest number of locks that are added. Room for them is made before the first lock is acquired
     */
    Acquisitions(int most) {
        this.acquired = new Acquisition[most];
    }

    void add(Acquisition next) {
        acquired[count++] = next;
        open = count;
    }

    /** Returns the locks in the order in which they were acquired. */
    public List<Acquisition> held() {
        return List.of(Arrays.copyOf(acquired, count));
    }

    /** Releases the locks, the last one first. As {@link Acquisition#close}. */
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
                acquired[number].hold.mine.abandoned = acquired[number].hold; // no call: the stack may be full
            }
            throw broken;
        }
    }
}
