package io.atoll.map;

import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * Iterates over the living entries of one rank's buckets. It reads as many buckets at a time as a batch's buffer holds.
 * It takes their entries out of the buffer before it hands out the first one. While it hands out entries it holds
 * nothing. So the caller may use the map meanwhile, and with it this thread's batch.
 *
 * @param <E> what the reader makes of an entry
 */
final class BucketIterator<E> implements Iterator<E> {

    /** Takes an entry out of a batch's buffer, at the positions of its key and its value. */
    public interface Reader<E> {
        void read(Batch batch, long key, long value, Queue<E> entries);
    }

    private final BucketReader source;
    private final int owner;
    private final Reader<E> reader;
    private final Queue<E> read = new ArrayDeque<>();
    // The home with which the next range begins.
    private long next;

    public BucketIterator(BucketReader source, int owner, Reader<E> reader) {
        this.source = source;
        this.owner = owner;
        this.reader = reader;
    }

    @Override
    public boolean hasNext() {
        while (read.isEmpty() && next < Block.HOMES) {
            read(source.mostBuckets(owner));
        }
        return !read.isEmpty();
    }

    /** Reads at most this number of buckets. Returns the number of buckets that it has read. */
    private long read(long most) {
        var range = new BucketRange(source, owner, next, most,
                (batch, key, value) -> reader.read(batch, key, value, read));
        Token token = source.blocks.begin();
        try {
            next = range.read(source.blocks.firstIfAny(owner));
        } finally {
            source.blocks.end(token);
        }
        return range.buckets();
    }

    /**
     * Hands out the entries of the stretch's next buckets, from a home on. Returns the home at which to continue.
     */
    public long forEach(long from, Stretch stretch, Consumer<? super E> visitor) {
        next = from;
        long buckets = read(stretch.next(source.mostBuckets(owner)));
        stretch.add(buckets, read.size());
        while (!read.isEmpty()) {
            visitor.accept(read.remove());
        }
        return next;
    }

    @Override
    public E next() {
        if (!hasNext()) {
            throw new NoSuchElementException("no further entry: rank=" + owner);
        }
        return read.remove();
    }
}
