package io.atoll.linked;

import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.failure.FabricException;
import io.atoll.failure.StructureName;
import io.atoll.memory.Layouts;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.StructureStats;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An unbounded stack of values of a fixed size (Treiber's; Dewan and Jenkins, listing 1). Only the memory of the rank
 * that hosts it limits it. Null is no value.
 *
 * <p>All operations are atomic with each other (linearizable) and lock-free. No thread waits for another one, even if
 * the other one stands still or dies. A rank that dies in an operation leaves one lost node, no more. Nodes that were
 * popped are freed through the {@link EpochManager}: when a rank reclaims, or when much waits to be freed.
 *
 * <p>Costs are those of a stack that another rank hosts and that is as this process last saw it. Each operation of
 * others that comes first costs a push W + A more, and a pop R, or R + A. Where verbs are executed at once, a push is R
 * + 2 W + A.
 *
 * @param <T> the type of the values
 */
public final class LinkedStack<T> {

    /** The depth of a stack. */
    public static final StructureStats FIGURES = (endpoint, rank,
            block) -> new Depth(endpoint, rank, block.offset(), false)
                    .figures(0);

    private static final String KIND = "linked-stack";

    private final String name;
    private final StructureName structure;
    private final int host;
    private final Handle<TreiberStack<T>> handle;

    LinkedStack(String name, int host, Handle<TreiberStack<T>> handle) {
        this.name = name;
        this.structure = new StructureName(name, KIND);
        this.host = host;
        this.handle = handle;
    }

    /** Begins to open the stack of this name. */
    public static <T> LinkedBuilder<LinkedStack<T>> builder(String name, Class<T> values,
            Supplier<Participant> participant, EpochManager epochs) {
        return builder(name, Codecs.forType(values), participant, epochs);
    }

    /** Begins to open the stack of this name, for a type with a codec of the caller's own. */
    public static <T> LinkedBuilder<LinkedStack<T>> builder(String name, Codec<T> values,
            Supplier<Participant> participant, EpochManager epochs) {
        return new Builder<>(name, values.within(name), participant, epochs);
    }

    public String name() {
        return name;
    }

    /** Returns the rank in whose segment the stack is. */
    public int host() {
        return host;
    }

    /**
     * Puts the value on top. Cost: 2 W + A in one round trip.
     *
     * @throws io.atoll.failure.SegmentFullException when the host has no room for another; the stack is as it was
     */
    public void push(T value) {
        TreiberStack<T> stack = handle.use();
        try {
            stack.push(value);
        } catch (FabricException failure) {
            throw failure.in(structure);
        }
    }

    /**
     * Takes the value from the top. Returns null if there is none. Cost: 2 R + A, and what {@link Token#retire} costs.
     * Takes two round trips where the fabric keeps reads in order and values have less than 1 KiB, otherwise three.
     *
     * @throws io.atoll.failure.CodecException if it cannot be read here: it has been taken, and is in {@link
     * io.atoll.failure.CodecException#encoded}
     */
    public @Nullable T pop() {
        TreiberStack<T> stack = handle.use();
        Token token = begin(stack);
        try {
            return stack.pop(token);
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
        TreiberStack<T> stack = handle.use();
        stack.epochs().refuseForeign(token);
        try {
            return stack.pop(token);
        } catch (FabricException failure) {
            throw failure.in(structure);
        }
    }

    /** Returns the value on top, without taking it. Returns null if there is none. Cost: 2 R. */
    public @Nullable T peek() {
        TreiberStack<T> stack = handle.use();
        Token token = begin(stack);
        try {
            return stack.peek(token);
        } catch (FabricException failure) {
            throw failure.in(structure);
        } finally {
            token.unpin();
        }
    }

    /** Returns true if there was no value a moment ago. Cost: R. */
    public boolean isEmpty() {
        return handle.use().first.read() == null;
    }

    private Token begin(TreiberStack<T> stack) {
        try {
            return stack.epochs().pin();
        } catch (FabricException failure) {
            throw failure.in(structure);
        }
    }

    @Override
    public String toString() {
        return "LinkedStack[" + name + "]";
    }

    private static final class Builder<T> extends LinkedBuilder<LinkedStack<T>> {

        private final Codec<T> values;
        private final EpochManager epochs;

        Builder(String name, Codec<T> values, Supplier<Participant> participant, EpochManager epochs) {
            super(name, participant);
            this.values = values;
            this.epochs = epochs;
        }

        @Override
        public LinkedStack<T> openLazily() {
            int host = host();
            OnLoss onLoss = onLoss();
            return new LinkedStack<>(name(), host, handle(self -> open(self, host, onLoss)));
        }

        @Override
        protected Handle<?> handle(LinkedStack<T> stack) {
            return stack.handle;
        }

        private TreiberStack<T> open(Participant self, int host, OnLoss onLoss) {
            epochs.prepare();
            long block = self.directory()
                    .openAt(host, name(), KIND + " values=" + values.name(), Layouts.CACHE_LINE, onLoss);
            var first = AtomicObject.abaProtected(self.endpoint(), host, block, ObjectType.POINTER);
            return new TreiberStack<>(first, new Nodes<>(self.endpoint(), self.heap(), host, values), epochs);
        }
    }
}
