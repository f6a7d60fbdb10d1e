package io.atoll.queue;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.node.Nodes;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A queue without bounds, but for the memory of the rank that hosts it, of values of a fixed size (Michael and Scott's). Null is no value.
 *
 * <p>All operations are atomic with each other (linearizable) and lock-free: nobody waits for anybody, whoever stands still or dies. A rank that dies in an operation leaves
 * one node that is lost, no more. Nodes that were left behind are freed through the {@link EpochManager}: when somebody reclaims.
 *
 * <p>Costs are those of a queue that another rank hosts and nobody else uses at the same time.
 *
 * @param <T> the type of the values
 */
public final class LinkedQueue<T> {

    private final String name;
    private final int host;
    private final Handle<MichaelScottQueue<T>> handle;

    LinkedQueue(String name, int host, Handle<MichaelScottQueue<T>> handle) {
        this.name = name;
        this.host = host;
        this.handle = handle;
    }

    /** Begins to open the queue of this name. */
    public static <T> Builder<T> builder(String name, Class<T> values, Supplier<Participant> participant,
            EpochManager epochs) {
        return new Builder<>(name, Codecs.forType(values), participant, epochs);
    }

    /** Begins to open the queue of this name, for a type with a codec of one's own. */
    public static <T> Builder<T> builder(String name, Codec<T> values, Supplier<Participant> participant,
            EpochManager epochs) {
        return new Builder<>(name, values, participant, epochs);
    }

    public String name() {
        return name;
    }

    /** The rank whose segment it is in. */
    public int host() {
        return host;
    }

    /**
     * Puts the value at the end. Cost: 2 R + 2 W + 2 A.
     *
     * @throws io.atoll.failure.SegmentFullException when the host has no room for another; the queue is as it was
     */
    public void push(T value) {
        MichaelScottQueue<T> queue = handle.opened();
        queue.push(queue.epochs().token(), value);
    }

    /**
     * As {@link #push(Object)}, for those who keep a token, pinned or not.
     *
     * @throws IllegalArgumentException if it is a token of another manager
     */
    public void push(Token token, T value) {
        MichaelScottQueue<T> queue = handle.opened();
        queue.epochs().refuseForeign(token);
        queue.push(token, value);
    }

    /** Takes the value that has been there for longest; null if there is none. Cost: 4 R + A, and what {@link Token#retire} costs; 3 R if there is none. */
    public @Nullable T pop() {
        MichaelScottQueue<T> queue = handle.opened();
        return queue.pop(queue.epochs().token());
    }

    /**
     * As {@link #pop()}, for those who keep a token, pinned or not.
     *
     * @throws IllegalArgumentException if it is a token of another manager
     */
    public @Nullable T pop(Token token) {
        MichaelScottQueue<T> queue = handle.opened();
        queue.epochs().refuseForeign(token);
        return queue.pop(token);
    }

    /** The value that has been there for longest, which stays; null if there is none. Cost: 3 R. */
    public @Nullable T peek() {
        MichaelScottQueue<T> queue = handle.opened();
        return queue.peek(queue.epochs().token());
    }

    /** Whether there was no value a moment ago. Cost: as {@link #peek()}, 2 R if so. */
    public boolean isEmpty() {
        return peek() == null;
    }

    @Override
    public String toString() {
        return "LinkedQueue[" + name + "]";
    }

    /** What a queue is opened with; every rank that opens it must ask for the same. */
    public static final class Builder<T> {

        private final String name;
        private final Codec<T> values;
        private final Supplier<Participant> participant;
        private final EpochManager epochs;
        private int host;

        private Builder(String name, Codec<T> values, Supplier<Participant> participant, EpochManager epochs) {
            this.name = name;
            this.values = values;
            this.participant = participant;
            this.epochs = epochs;
        }

        /** The rank whose segment it is in; 0 unless told. */
        public Builder<T> host(int rank) {
            this.host = rank;
            return this;
        }

        /**
         * Attaches to the queue, or creates it.
         *
         * @throws io.atoll.failure.ConfigurationMismatchException when the name exists with another configuration
         */
        public LinkedQueue<T> open() {
            LinkedQueue<T> queue = openLazily();
            queue.handle.opened();
            return queue;
        }

        /** As {@link #open()}, but on first use: that waits for missing ranks and throws what {@code open} throws, and if it fails the next use tries again. */
        public LinkedQueue<T> openLazily() {
            return new LinkedQueue<>(name, host, new Handle<>(this::queue));
        }

        private MichaelScottQueue<T> queue() {
            Participant self = participant.get();
            if (host < 0 || host >= self.size()) {
                throw new IllegalArgumentException(
                        "ranks run from 0 to size - 1: host=" + host + " size=" + self.size());
            }
            String configuration = "linked-queue values=" + values.name() + " host=" + host;
            long[] blocks = self.directory()
                    .open(name, configuration, rank -> rank == host ? MichaelScottQueue.BYTES : 0);
            var nodes = new Nodes<>(self.endpoint(), self.heap(), host, values);
            var queue = new MichaelScottQueue<>(self.endpoint(), host, blocks[host], nodes, epochs);
            queue.begin();
            return queue;
        }
    }
}
