package io.atoll.queue;

import io.atoll.fabric.Endpoint;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The head or the tail of a ring, with the value that this process last saw there: too low perhaps, never too high. So whoever has to exchange it tries with that
 * value first, and looks at the word itself only if that was wrong. The mark counts as the highest value.
 */
final class RememberedWord {

    private final Endpoint endpoint;
    private final int host;
    private final long offset;
    // Opaque: whichever of several threads writes last, each value was true once, and stays a lower bound.
    private final AtomicLong last;
    private final AtomicBoolean markedHere = new AtomicBoolean();

    RememberedWord(Endpoint endpoint, int host, long offset, long last) {
        this.endpoint = endpoint;
        this.host = host;
        this.offset = offset;
        this.last = new AtomicLong(last);
    }

    /** No verb. */
    long last() {
        return last.getOpaque();
    }

    /** Cost: R. */
    long read() {
        long value = endpoint.readWord(host, offset);
        last.setOpaque(value);
        return value;
    }

    /** Returns what was there; the exchange took place if that is {@code expected}. Cost: A. */
    long compareAndExchange(long expected, long value) {
        long witness = endpoint.compareAndExchange(host, offset, expected, value);
        last.setOpaque(witness == expected ? value : witness);
        return witness;
    }

    /** Sets the mark, unless it is set; returns the marked word. Lock-free. Cost: A. */
    long mark() {
        long word = last();
        while (!RingBlock.isMarked(word)) {
            long witness = compareAndExchange(word, RingBlock.marked(word));
            if (witness == word) {
                markedHere.set(true);
                return RingBlock.marked(word);
            }
            word = witness;
        }
        return word;
    }

    /** Returns whether this one has set the mark, once: false whenever it is asked again. No verb. */
    boolean takeMarkedHere() {
        return markedHere.get() && markedHere.getAndSet(false);
    }

    /** Gives it its first value: until somebody does, it is 0. Cost: A. */
    void begin(long value) {
        if (value != 0) {
            compareAndExchange(0, value);
        }
    }

    /** Returns when what this process has sent to the host before it lost the connection has arrived, or never will. Cost: A. */
    void settle() {
        endpoint.compareAndExchange(host, offset, Slot.NO_TICKET, Slot.NO_TICKET);
    }
}
