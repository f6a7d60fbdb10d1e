package io.atoll.atomic;

import io.atoll.memory.GlobalPointer;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * What atomic objects refer to: memory, seen as values of a type. Two values are the same object if their pointers are equal.
 *
 * <p>A class with public methods and no interface: as long as one kind only is in use, HotSpot knows what a call of those does, and checks nothing.
 */
public abstract sealed class ObjectType<T> {

    /** Objects about which no more is known than where they lie. */
    public static final ObjectType<GlobalPointer> POINTER = new Pointers();

    private ObjectType() {}

    /**
     * @param pointer the object's {@linkplain GlobalPointer#toWord() pointer as a word}, never 0
     * @param object the object that lies there
     */
    public static <T> ObjectType<T> of(ToLongFunction<? super T> pointer, LongFunction<? extends T> object) {
        return new Values<>(pointer, object);
    }

    /** The object's pointer as a word, never 0. */
    public abstract long pointer(T object);

    /** The object that lies there. */
    public abstract T object(long pointer);

    private static final class Pointers extends ObjectType<GlobalPointer> {

        @Override
        public long pointer(GlobalPointer object) {
            return object.toWord();
        }

        @Override
        public GlobalPointer object(long pointer) {
            return GlobalPointer.fromWord(pointer);
        }
    }

    private static final class Values<T> extends ObjectType<T> {

        private final ToLongFunction<? super T> pointer;
        private final LongFunction<? extends T> object;

        private Values(ToLongFunction<? super T> pointer, LongFunction<? extends T> object) {
            this.pointer = pointer;
            this.object = object;
        }

        @Override
        public long pointer(T object) {
            return pointer.applyAsLong(object);
        }

        @Override
        public T object(long pointer) {
            return object.apply(pointer);
        }
    }
}
