package io.atoll.stack;

import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.memory.Layouts;
import io.atoll.node.Nodes;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A stack without bounds, but for the memory of the rank that hosts it, of values of a fixed size (Treiber's; Dewan and Jenkins, listing 1). Null is no value.
 *
 * <p>All operations are atomic with each other (linearizable) and lock-free: nobody waits for anybody, whoever stands still or dies. A rank that dies in an operation leaves
 * one node that is lost, no more. Nodes that were popped are freed through the {@link EpochManager}: when somebody reclaims.
 *
 * <p>Costs are those of a stack that another rank hosts and nobody else uses at the same time; with others at it, R + W + A, or 2 R + A, again for each that was faster.
 *
 * @param <T> the type of the values
 */
public final class LinkedStack<T> {

    private final String name;
    private final int host;
    private final Handle<TreiberStack<T>> handle;

    LinkedStack(String name, int host, Handle<TreiberStack<T>> handle) {
        this.name = name;
        this.host = host;
        this.handle = handle;
    }

    /** Begins to open the stack of this name. */
    public static <T> Builder<T> builder(String name, Class<T> values, Supplier<Participant> participant,
            EpochManager epochs) {
        return new Builder<>(name, Codecs.forType(values), participant, epochs);
    }

    /** Begins to open the stack of this name, for a type with a codec of one's own. */
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
     * Puts the value on top. Cost: R + 2 W + A.
     *
     * @throws io.atoll.failure.SegmentFullException when the host has no room for another; the stack is as it was
     */
    public void push(T value) {
        handle.opened().push(value);
    }

    /** Takes the value from the top; null if there is none. Cost: 2 R + A, and what {@link Token#retire} costs. */
    public @Nullable T pop() {
        TreiberStack<T> stack = handle.opened();
        return stack.pop(stack.epochs().token());
    }

    /**
     * As {@link #pop()}, for those who keep a token, pinned or not.
     *
     * @throws IllegalArgumentException if it is a token of another manager
     */
    public @Nullable T pop(Token token) {
        TreiberStack<T> stack = handle.opened();
        stack.epochs().refuseForeign(token);
        return stack.pop(token);
    }

    /** The value on top, which stays; null if there is none. Cost: 2 R. */
    public @Nullable T peek() {
        TreiberStack<T> stack = handle.opened();
        return stack.peek(stack.epochs().token());
    }

    /** Whether there was no value a moment ago. Cost: R. */
    public boolean isEmpty() {
        return handle.opened().first.read() == null;
    }

    @Override
    public String toString() {
        return "LinkedStack[" + name + "]";
    }

    /** What a stack is opened with; every rank that opens it must ask for the same. */
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
         * Attaches to the stack, or creates it.
         *
         * @throws io.atoll.failure.ConfigurationMismatchException when the name exists with another configuration
         */
        public LinkedStack<T> open() {
            LinkedStack<T> stack = openLazily();
            stack.handle.opened();
            return stack;
        }

        /** As {@link #open()}, but on first use: that waits for missing ranks and throws what {@code open} throws, and if it fails the next use tries again. */
        public LinkedStack<T> openLazily() {
            return new LinkedStack<>(name, host, new Handle<>(this::stack));
        }

        private TreiberStack<T> stack() {
            Participant self = participant.get();
            if (host < 0 || host >= self.size()) {
                throw new IllegalArgumentException(
                        "ranks run from 0 to size - 1: host=" + host + " size=" + self.size());
            }
            String configuration = "linked-stack values=" + values.name() + " host=" + host;
            long[] blocks = self.directory().open(name, configuration, rank -> rank == host ? Layouts.CACHE_LINE : 0);
            var first = AtomicObject.abaProtected(self.endpoint(), host, blocks[host], ObjectType.POINTER);
            return new TreiberStack<>(first, new Nodes<>(self.endpoint(), self.heap(), host, values), epochs);
        }
    }
}
