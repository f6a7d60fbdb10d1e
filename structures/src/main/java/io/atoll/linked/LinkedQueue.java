package io.atoll.linked;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.failure.FabricException;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.StructureName;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.StructureStats;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An unbounded queue of values of a fixed size, after Michael and Scott. Only the memory of the rank that hosts it
 * limits it. Null is no value.
 *
 * <p>All operations are atomic with each other (linearizable) and lock-free. No thread waits for another one, even if
 * the other one stands still or dies. A rank that dies in an operation leaves one lost node, no more. Nodes that were
 * left behind are freed through the {@link EpochManager}: when a rank reclaims, or when much waits to be freed.
 *
 * <p>Costs are those of a queue that another rank hosts and that is as this process last saw it. Operations of others
 * that come first cost a push 3 A more, and a pop R, or 3 R + A. The first push of a process is R more. Where verbs
 * are executed at once, a push is 2 R + 2 W + 2 A.
 *
 * @param <T> the type of the values
 */
public final class LinkedQueue<T> {

    /** The depth of a queue. Its first node has no value any more. */
    public static final StructureStats FIGURES = (endpoint, rank, block) -> new Depth(endpoint, rank,
            block.offset() + MichaelScottQueue.HEAD, true).figures(1);

    private static final String KIND = "linked-queue";

    /** The limit of attempts. Another attempt is worth it only because something was freed. */
    private static final int MOST_ATTEMPTS = 16;

    private final String name;
    private final StructureName structure;
    private final int host;
    private final Handle<MichaelScottQueue<T>> handle;

    LinkedQueue(String name, int host, Handle<MichaelScottQueue<T>> handle) {
        this.name = name;
        this.structure = new StructureName(name, KIND);
        this.host = host;
        this.handle = handle;
    }

    /** Begins to open the queue of this name. */
    public static <T> LinkedBuilder<LinkedQueue<T>> builder(String name, Class<T> values,
            Supplier<Participant> participant, EpochManager epochs) {
        return builder(name, Codecs.forType(values), participant, epochs);
    }

    /** Begins to open the queue of this name, for a type with a codec of the caller's own. */
    public static <T> LinkedBuilder<LinkedQueue<T>> builder(String name, Codec<T> values,
            Supplier<Participant> participant, EpochManager epochs) {
        return new Builder<>(name, values.within(name), participant, epochs);
    }

    public String name() {
        return name;
    }

    /** Returns the rank in whose segment the queue is. */
    public int host() {
        return host;
    }

    /**
     * Puts the value at the end. Cost: 2 W + 3 A, in one round trip where the owner decides what is guarded, otherwise
     * in three.
     *
     * @throws io.atoll.failure.SegmentFullException when the host has no room for another; the queue is as it was
     */
    public void push(T value) {
        MichaelScottQueue<T> queue = handle.use();
        for (int attempts = 0;; attempts++) {
            try {
                push(queue, value);
                return;
            } catch (SegmentFullException full) {
                // What waits elsewhere to be freed may have waited for the pin that has just ended.
                if (attempts == MOST_ATTEMPTS || !queue.epochs().relieve(host)) {
                    throw full;
                }
            }
        }
    }

    private void push(MichaelScottQueue<T> queue, T value) {
        Token token = begin(queue);
        try {
            queue.push(token, value);
        } catch (FabricException failure) {
            throw failure.in(structure);
        } finally {
            token.unpin();
        }
    }

    /**
     * Like {@link #push(Object)}, for callers that keep a token, pinned or not.
     *
     * @throws IllegalArgumentException if it is a token of another manager
     */
    public void push(Token token, T value) {
        MichaelScottQueue<T> queue = handle.use();
        queue.epochs().refuseForeign(token);
        try {
            queue.push(token, value);
        } catch (FabricException failure) {
            throw failure.in(structure);
        }
    }

    /**
     * Takes the value that has been there for longest. Returns null if there is none. Cost: 4 R + A, and what {@link
     * Token#retire} costs; 3 R if there is none. Takes two round trips where the fabric keeps reads in order and values
     * have less than 1 KiB, otherwise more.
     *
     * @throws io.atoll.failure.CodecException if it cannot be read here: it has been taken, and is in {@link
     * io.atoll.failure.CodecException#encoded}
     */
    public @Nullable T pop() {
        MichaelScottQueue<T> queue = handle.use();
        Token token = begin(queue);
        try {
            return queue.pop(token);
        } catch (FabricException failure) {
            throw failure.in(structure);
        } finally {
            token.unpin();
        }
    }

    /**
     * Like {@link #pop()}, for callers that keep a token, pinned or not.
     *
     * @throws IllegalArgumentException if it is a token of another manager
     */
    public @Nullable T pop(Token token) {
        MichaelScottQueue<T> queue = handle.use();
        queue.epochs().refuseForeign(token);
        try {
            return queue.pop(token);
        } catch (FabricException failure) {
            throw failure.in(structure);
        }
    }

    /**
     * Returns the value that has been there for longest, without taking it. Returns null if there is none. Cost: 3 R.
     */
    public @Nullable T peek() {
        MichaelScottQueue<T> queue = handle.use();
        Token token = begin(queue);
        try {
            return queue.peek(token);
        } catch (FabricException failure) {
            throw failure.in(structure);
        } finally {
            token.unpin();
        }
    }

    /** Returns true if there was no value a moment ago. Cost: that of {@link #peek()}, 2 R if there was none. */
    public boolean isEmpty() {
        return peek() == null;
    }

    private Token begin(MichaelScottQueue<T> queue) {
        try {
            return queue.epochs().pin();
        } catch (FabricException failure) {
            throw failure.in(structure);
        }
    }

    @Override
    public String toString() {
        return "LinkedQueue[" + name + "]";
    }

    private static final class Builder<T> extends LinkedBuilder<LinkedQueue<T>> {

        private final Codec<T> values;
        private final EpochManager epochs;

        Builder(String name, Codec<T> values, Supplier<Participant> participant, EpochManager epochs) {
            super(name, participant);
            this.values = values;
            this.epochs = epochs;
        }

        @Override
        public LinkedQueue<T> openLazily() {
            int host = host();
            OnLoss onLoss = onLoss();
            return new LinkedQueue<>(name(), host, handle(self -> open(self, host, onLoss)));
        }

        @Override
        protected Handle<?> handle(LinkedQueue<T> queue) {
            return queue.handle;
        }

        private MichaelScottQueue<T> open(Participant self, int host, OnLoss onLoss) {
            epochs.prepare();
            long block = self.directory()
                    .openAt(host, name(), KIND + " values=" + values.name(), MichaelScottQueue.BYTES, onLoss);
            var nodes = new Nodes<>(self.endpoint(), self.heap(), host, values);
            return new MichaelScottQueue<>(self.endpoint(), host, block, nodes, epochs);
        }
    }
}
