package io.atoll.map;

import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;

/**
 * Iterates over the living entries of one rank's buckets. It reads as many at a time as a batch's buffer holds. It
 * takes them out of the buffer before it hands out the first, and holds nothing then. So a caller that is handed an
 * entry may use the map, and with it this thread's batch.
 *
 * @param <E> what is made of an entry
 */
final class BucketIterator<E> implements Iterator<E> {

    /** Takes an entry out of a batch's buffer, at the positions of its key and its value. */
    public interface Reader<E> {
        void read(Batch batch, long key, long value, Queue<E> entries);
    }

    private final BucketSearch search;
    private final int owner;
    private final Reader<E> reader;
    private final Queue<E> read = new ArrayDeque<>();
    private long next; // home that the next range begins with

    public BucketIterator(BucketSearch search, int owner, Reader<E> reader) {
        this.search = search;
        this.owner = owner;
        this.reader = reader;
    }

    @Override
    public boolean hasNext() {
        while (read.isEmpty() && next < Block.HOMES) {
            Token token = search.blocks.begin();
            try {
                next = new BucketRange(search, owner, next, (batch, key, value) -> reader.read(batch, key, value, read))
                        .read(search.blocks.first(owner));
            } finally {
                search.blocks.end(token);
            }
        }
        return !read.isEmpty();
    }

    @Override
    public E next() {
        if (!hasNext()) {
            throw new NoSuchElementException("no further entry: rank=" + owner);
        }
        return read.remove();
    }
}
