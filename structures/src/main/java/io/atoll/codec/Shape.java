package io.atoll.codec;

import static java.lang.invoke.MethodType.methodType;

import java.io.InputStream;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.VarHandle.AccessMode;
import java.util.Objects;

/**
 * The parts from which a codec is made: the layout of a type's values, and the handles that move a value there and
 * back.
 *
 * @param name see {@link Codec#name}
 * @param encode (value, MemorySegment, long position) to void; leaves padding as it is
 * @param decode (MemorySegment, long position) to value
 * @param runsCode true if the handles run code of the application
 */
record Shape(String name, MemoryLayout layout, MethodHandle encode, MethodHandle decode, boolean runsCode) {

    /** Returns the shape of primitive values, which are stored as they are. */
    static Shape of(ValueLayout layout) {
        Class<?> primitive = layout.carrier();
        MethodHandle set = layout.varHandle().toMethodHandle(AccessMode.SET);
        MethodHandle get = layout.varHandle().toMethodHandle(AccessMode.GET);
        MethodHandle encode = MethodHandles.permuteArguments(set,
                methodType(void.class, primitive, MemorySegment.class, long.class), 1, 2, 0);
        return new Shape(primitive.getName(), layout, encode, get, false);
    }

    /** Returns the shape of values that are stored as the result of {@code to}; {@code from} is its inverse. */
    Shape as(String otherName, MethodHandle to, MethodHandle from) {
        return new Shape(otherName, layout, MethodHandles.filterArguments(encode, 0, to),
                MethodHandles.filterReturnValue(decode, from), runsCode);
    }

    /** Returns the same shape, of a record whose constructor or accessors run code of the application. */
    Shape thatRunsCode() {
        return new Shape(name, layout, encode, decode, true);
    }

    /** Returns the type whose values have this shape. */
    Class<?> type() {
        return decode.type().returnType();
    }

    /** Defines a class for this shape: see {@link ShapeCodec}. */
    Codec<?> codec() {
        String template = ShapeCodec.class.getSimpleName() + ".class";
        try (InputStream bytes = Objects.requireNonNull(Shape.class.getResourceAsStream(template), template)) {
            Lookup copy = MethodHandles.lookup().defineHiddenClassWithClassData(bytes.readAllBytes(), this, true);
            return (Codec<?>) copy.findConstructor(copy.lookupClass(), methodType(void.class, String.class))
                    .invoke((String) null);
        } catch (Throwable failure) {
            throw new AssertionError("a copy of the class that lies beside this one can be defined", failure);
        }
    }
}
