package io.atoll.codec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.invoke.MethodType.methodType;

import io.atoll.failure.CodecException;
import io.atoll.memory.Layouts;
import java.lang.constant.ConstantDescs;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.PaddingLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/**
 * The codec of a shape. {@link Shape#codec} defines a hidden copy of this class for each shape, so that the handles are
 * constants of a class. The JIT then compiles them to loads and stores as if written by hand, including those of
 * records within records. From instance fields they took about twice the time.
 */
final class ShapeCodec<T> implements Codec<T> {

    private static final Shape SHAPE = shape();
    private static final int BYTES = Math.toIntExact(Layouts.roundUp(SHAPE.layout().byteSize(), Layouts.WORD));
    private static final boolean PADDED = valueBytes(SHAPE.layout()) < BYTES;
    private static final MethodHandle ENCODE = SHAPE.encode()
            .asType(methodType(void.class, Object.class, MemorySegment.class, long.class));
    private static final MethodHandle DECODE = SHAPE.decode()
            .asType(methodType(Object.class, MemorySegment.class, long.class));

    private final @Nullable String structure;

    /** @param structure that failures name; null for none */
    ShapeCodec(@Nullable String structure) {
        this.structure = structure;
    }

    /**
     * Returns a codec of the same class, whose handles are constants: naming costs nothing until a call fails. A codec
     * that runs code of the application is watched.
     */
    @Override
    public Codec<T> within(String other) {
        return SHAPE.runsCode() ? Codec.super.within(other) : new ShapeCodec<>(other);
    }

    private static Shape shape() {
        try {
            return MethodHandles.classData(MethodHandles.lookup(), ConstantDescs.DEFAULT_NAME, Shape.class);
        } catch (IllegalAccessException failure) {
            throw new ExceptionInInitializerError(failure);
        }
    }

    private static long valueBytes(MemoryLayout layout) {
        return switch (layout) {
            case PaddingLayout _ -> 0;
            case GroupLayout group -> group.memberLayouts().stream().mapToLong(ShapeCodec::valueBytes).sum();
            default -> layout.byteSize();
        };
    }

    @Override
    public String name() {
        return SHAPE.name();
    }

    @Override
    public int bytes() {
        return BYTES;
    }

    @Override
    public void encode(T value, MemorySegment target, long position) {
        if (PADDED) {
            for (int at = 0; at < BYTES; at += Long.BYTES) {
                target.set(JAVA_LONG, position + at, 0L);
            }
        }
        try {
            ENCODE.invokeExact((Object) value, target, position);
        } catch (Throwable thrown) {
            throw structure == null
                    ? RecordType.unchecked(thrown)
                    : CodecException.storing(value, structure, name(), thrown);
        }
    }

    @Override
    @SuppressWarnings("unchecked") // the handle returns the shape's type
    public T decode(MemorySegment source, long position) {
        try {
            return (T) (Object) DECODE.invokeExact(source, position);
        } catch (Throwable thrown) {
            throw structure == null
                    ? RecordType.unchecked(thrown)
                    : CodecException.reading(structure, name(), source.asSlice(position, BYTES).toArray(JAVA_BYTE),
                            thrown);
        }
    }
}
