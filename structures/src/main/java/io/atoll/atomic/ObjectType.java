package io.atoll.atomic;

import io.atoll.memory.GlobalPointer;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * The type as which atomic objects see the memory that they refer to. Two values are the same object if their pointers
 * are equal.
 *
 * <p>This is a class with public methods, and implements no interface. As long as only one kind is in use, HotSpot
 * knows which method a call reaches, and checks nothing.
 */
public abstract sealed class ObjectType<T> {

    /** Objects of which only the place is known. */
    public static final ObjectType<GlobalPointer> POINTER = new Pointers();

    private ObjectType() {}

    /**
     * Returns a type that these two functions define.
     *
     * @param pointer returns an object's {@linkplain GlobalPointer#toWord() pointer as a word}, never 0
     * @param object returns the object at a pointer
     */
    public static <T> ObjectType<T> of(ToLongFunction<? super T> pointer, LongFunction<? extends T> object) {
        return new Values<>(pointer, object);
    }

    /** Returns the object's pointer as a word, never 0. */
    public abstract long pointer(T object);

    /** Returns the object at that pointer. */
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
