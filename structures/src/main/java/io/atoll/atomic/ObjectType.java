package io.atoll.atomic;

import io.atoll.memory.GlobalPointer;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * What atomic objects refer to: memory, seen as values of a type. Two values are the same object if their pointers are equal.
 *
 * @param pointer the object's {@linkplain GlobalPointer#toWord() pointer as a word}, never 0
 * @param object the object that lies there
 */
public record ObjectType<T>(ToLongFunction<? super T> pointer, LongFunction<? extends T> object) {

    /** Objects about which no more is known than where they lie. */
    public static final ObjectType<GlobalPointer> POINTER = new ObjectType<>(GlobalPointer::toWord,
            GlobalPointer::fromWord);
}
