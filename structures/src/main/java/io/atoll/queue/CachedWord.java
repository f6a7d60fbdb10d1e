package io.atoll.queue;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The head or the tail of a ring, with the value that this process last saw there. That value may be too low, but is
 * never too high. So a thread that has to exchange the word tries with that value first. It looks at the word itself
 * only if the value was wrong. A {@linkplain RingBlock mark} makes the word
 * negative, and counts as the highest value.
 */
final class CachedWord {

    private final Endpoint endpoint;
    private final int host;
    private final long offset;
    // Opaque: whichever thread writes last, each value was true once, and stays a lower bound.
    private final AtomicLong last;
    private final AtomicBoolean markedHere = new AtomicBoolean();

    CachedWord(Endpoint endpoint, int host, long offset, long last) {
        this.endpoint = endpoint;
        this.host = host;
        this.offset = offset;
        this.last = new AtomicLong(last);
    }

    /** Returns the value that this process last saw. No verb. */
    long last() {
        return last.getOpaque();
    }

    /** Reads the word. Cost: R. */
    long read() {
        long value = endpoint.readWord(host, offset);
        saw(value);
        return value;
    }

    /** Adds a read of the word to the batch. The caller tells what was {@linkplain #saw seen}. Cost: R. */
    void read(Batch batch, long position) {
        batch.read(host, offset, position, Layouts.WORD);
    }

    /** Remembers a value that this process has just seen there. */
    void saw(long value) {
        last.setOpaque(value);
    }

    /** Returns the value that was there. The exchange took place if that is {@code expected}. Cost: A. */
    long compareAndExchange(long expected, long value) {
        return found(endpoint.compareAndExchange(host, offset, expected, value), expected, value);
    }

    /**
     * Adds the exchange to the batch, and returns its index. The caller tells what it has {@linkplain #found found}.
     * Cost: A.
     */
    int compareAndExchange(Batch batch, long expected, long value) {
        return batch.compareAndExchange(host, offset, expected, value);
    }

    /** Remembers the word after an exchange that has found the witness. Returns the witness. */
    long found(long witness, long expected, long value) {
        saw(witness == expected ? value : witness);
        return witness;
    }

    /** Sets the mark, unless it is set. Returns the marked word. Lock-free. Cost: A. */
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

    /** Returns true, once, if this process has set the mark. Later calls return false. No verb. */
    boolean takeMarkedHere() {
        return markedHere.get() && markedHere.getAndSet(false);
    }

    /** Gives the word its first value. Before that it is 0. Cost: A. */
    void begin(long value) {
        if (value != 0) {
            compareAndExchange(0, value);
        }
    }

    /**
     * Returns when everything that this process sent to the host before it lost the connection has arrived, or never
     * will. Cost: A.
     */
    void settle() {
        endpoint.compareAndExchange(host, offset, Slot.NO_TICKET, Slot.NO_TICKET);
    }
}
