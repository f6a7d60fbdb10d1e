package io.atoll.fabric.tcp;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.function.Consumer;

/**
 * Decides how often a thread looks for an answer before it sleeps. An answer from this host, or over a fast network,
 * may come sooner than a sleeping thread could be woken. This holds most of all in a virtual machine. Looks that find
 * nothing are in vain, and other threads may need the processor. So after a wait in vain the thread sleeps at once in
 * some of the next waits. Each further wait in vain adds to their number, up to {@value #MOST_SKIPPED}:
 * <pre>
 *   wait     looks   nothing   sleeps          looks = 0, skipped = 1
 *   wait                       sleeps          skipped once, looks again
 *   wait     looks   nothing   sleeps          looks = 0, skipped = 3
 *   3 waits                    sleep
 *   wait     looks   found                     skipped = 1 after the next wait in vain
 * </pre>
 *
 * <p>For one thread at a time. A thread uses it so, where a look never waits:
 * <pre>{@code
 * while (spin.goesOn()) {
 *     if (look()) {
 *         spin.found();
 *         return;
 *     }
 * }
 * spin.sleeps();
 * sleep();
 * }</pre>
 * A thread that waits in a selector calls {@link #select} instead.
 */
final class Spin {

    /** A look is at least one system call. So many looks take about as long as it takes to wake a thread. */
    static final int LOOKS = 150;

    private static final int MOST_SKIPPED = 127;
    private static final long SELECT_MILLIS = 250;

    private final int most;
    private int looks; // that are left in this wait
    private int skipped; // how many waits are skipped after one in vain
    private int toSkip;

    /** @param most how many looks a wait may take; 0 to sleep at once */
    Spin(int most) {
        this.most = most;
        this.looks = most;
    }

    /**
     * Returns one that looks, if the settings say so. On one processor no answer can come while a thread looks for it.
     */
    static Spin of(Tcp settings) {
        return new Spin(settings.spins() && Runtime.getRuntime().availableProcessors() > 1 ? LOOKS : 0);
    }

    /** Returns true if the thread is to look once more. */
    boolean goesOn() {
        if (looks == 0) {
            return false;
        }
        looks--;
        Thread.onSpinWait();
        return true;
    }

    /** Ends a wait: a look has found something. */
    void found() {
        looks = most;
        skipped /= 2;
    }

    /** Ends a wait: the thread sleeps, and the next wait begins when it is awake. */
    void sleeps() {
        if (toSkip > 0) {
            toSkip--;
        } else {
            skipped = Math.min(2 * skipped + 1, MOST_SKIPPED);
            toSkip = skipped;
        }
        looks = toSkip > 0 ? 0 : most;
    }

    /**
     * Looks once in the selector, or sleeps there until something is ready. There is one look a call: a selection takes
     * away a wake-up, so what the wake-up is for comes before the next one.
     */
    void select(Selector selector, Consumer<SelectionKey> action) throws IOException {
        if (!goesOn()) {
            sleeps();
            selector.select(action, SELECT_MILLIS);
        } else if (selector.selectNow(action) > 0) {
            found();
        }
    }
}
