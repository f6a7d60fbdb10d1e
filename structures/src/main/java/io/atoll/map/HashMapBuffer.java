package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.failure.AtollException;
import io.atoll.promise.Promise;
import io.atoll.queue.FastQueue;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Collects insertions into a {@link DistributedMap} and sends them in bulk, for phases in which all ranks insert and nobody cares when (BCL, section 5.3). What was inserted is in the
 * map after the next {@link #flush}, which all ranks call. Its insertions are those of {@link DistributedMap#insert}: a key that has a value keeps it, and of several
 * values that are inserted for a new key one is stored.
 *
 * <p>Each rank hosts a {@link FastQueue}. Entries are staged here, for each owner, until there are as many as a message has; then they are pushed to the owner's queue, and
 * when all have been, each rank inserts what lies in its own queue into its own part of the map. If a queue is full, the message is inserted from here at once: nothing waits, and
 * nothing is lost. If the map is full, what has no room stays in the queues and stages, and whoever flushes is told.
 *
 * <p>Opened by all ranks with the same sizes; used by one thread of each at a time.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class HashMapBuffer<K, V> implements AutoCloseable {

    private final String name;
    private final InlineEntries<K, V> entries;
    private final Participant participant;
    private final Codec<Map.Entry<K, V>> codec;
    private final int messageSize;
    private final List<FastQueue<Map.Entry<K, V>>> queues;
    private final MemorySegment[] staged;
    private final int[] counts;

    HashMapBuffer(String map, InlineEntries<K, V> entries, int queueSize, int messageSize) {
        if (messageSize < 1 || queueSize < messageSize) {
            throw new IllegalArgumentException("a message has an entry at least, and a queue room for a message: map="
                    + map + " queueSize=" + queueSize + " messageSize=" + messageSize);
        }
        this.name = map + ".buffer";
        this.entries = entries;
        this.participant = entries.table().participant();
        this.codec = new EntryCodec<>(entries.keys(), entries.values());
        this.messageSize = messageSize;
        this.queues = IntStream.range(0, participant.size()).mapToObj(rank -> queue(rank, queueSize)).toList();
        this.staged = new MemorySegment[participant.size()];
        this.counts = new int[participant.size()];
    }

    private FastQueue<Map.Entry<K, V>> queue(int rank, int queueSize) {
        return FastQueue.builder(name + "." + rank, codec, () -> participant).capacity(queueSize).host(rank).open();
    }

    /**
     * Stages an entry. Cost: nothing; A + W for each message that becomes full; what as many insertions cost for one whose queue is full.
     *
     * @throws AtollException when an earlier message must be sent first, and cannot be; the entry was not taken then, and what was taken is kept
     */
    public void insert(K key, V value) {
        Objects.requireNonNull(value, "value");
        int owner = entries.owner(key);
        if (counts[owner] == messageSize) {
            push(owner);
        }
        if (staged[owner] == null) {
            staged[owner] = MemorySegment
                    .ofArray(new long[Math.multiplyExact(messageSize, codec.bytes() / Long.BYTES)]);
        }
        codec.encode(Map.entry(key, value), staged[owner], (long) counts[owner] * codec.bytes());
        counts[owner]++;
    }

    private void push(int owner) {
        if (counts[owner] == 0) {
            return;
        }
        long bytes = (long) counts[owner] * codec.bytes();
        if (!queues.get(owner).pushEncoded(staged[owner].asSlice(0, bytes))) {
            for (long position = 0; position < bytes; position += codec.bytes()) {
                insert(codec.decode(staged[owner], position));
            }
        }
        counts[owner] = 0;
    }

    private void insert(Map.Entry<K, V> entry) {
        entries.insert(entry.getKey(), entry.getValue(), Promise.nothing());
    }

    /**
     * Returns when everything that any rank has inserted into its buffer is in the map. Every rank calls it, as often. Cost: two barriers, A + W for each message that is left, and
     * what as many insertions of own keys cost as lie in this rank's queue.
     *
     * @throws AtollException when entries of this rank, or for it, have no room, or a rank is not there; they are kept for another flush, and those of others are in the map
     */
    public void flush() throws InterruptedException {
        AtollException failure = failureOf(this::pushAll, null);
        participant.barrier();
        failure = failureOf(this::insertOwn, failure);
        participant.barrier();
        if (failure != null) {
            throw failure;
        }
    }

    /** The others wait for this rank at the barrier, whatever happens here. */
    private static @Nullable AtollException failureOf(Runnable action, @Nullable AtollException earlier) {
        try {
            action.run();
            return earlier;
        } catch (AtollException failure) {
            if (earlier == null) {
                return failure;
            }
            earlier.addSuppressed(failure);
            return earlier;
        }
    }

    private void pushAll() {
        for (int owner = 0; owner < counts.length; owner++) {
            push(owner);
        }
    }

    /** An entry leaves the queue when it is in the map. */
    private void insertOwn() {
        FastQueue<Map.Entry<K, V>> own = queues.get(participant.rank());
        for (MemorySegment piece : own.local()) {
            for (long position = 0; position < piece.byteSize(); position += codec.bytes()) {
                insert(codec.decode(piece, position));
                own.localPop();
            }
        }
    }

    /** Entries that this rank has staged and not sent. */
    public long staged() {
        return IntStream.of(counts).asLongStream().sum();
    }

    /**
     * Ends it; its queues stay.
     *
     * @throws IllegalStateException if there is something in it that was not flushed
     */
    @Override
    public void close() {
        if (staged() > 0) {
            throw new IllegalStateException("flush before it is closed: buffer=" + name + " staged=" + staged());
        }
    }

    @Override
    public String toString() {
        return "HashMapBuffer[" + name + "]";
    }
}
