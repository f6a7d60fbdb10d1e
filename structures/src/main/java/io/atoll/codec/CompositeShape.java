package io.atoll.codec;

import static java.lang.invoke.MethodType.methodType;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;

/**
 * The shape of values that consist of others. The parts lie in the order in which they are named, each aligned as its
 * layout asks. The whole is aligned as its strictest part. So the layout is what a C compiler makes of a struct.
 */
final class CompositeShape {

    /**
     * One of the values that a whole consists of.
     *
     * @param accessor takes it from the whole
     */
    record Part(String name, Shape shape, MethodHandle accessor) {}

    private static final MethodHandle PLUS;

    static {
        try {
            PLUS = MethodHandles.publicLookup()
                    .findStatic(Long.class, "sum", methodType(long.class, long.class, long.class));
        } catch (ReflectiveOperationException failure) {
            throw new ExceptionInInitializerError(failure);
        }
    }

    private CompositeShape() {}

    /** @param constructor makes the whole from all parts */
    static Shape of(String name, List<Part> parts, MethodHandle constructor) {
        StructLayout layout = layout(parts);
        MethodHandle encode = MethodHandles
                .empty(methodType(void.class, constructor.type().returnType(), MemorySegment.class, long.class));
        MethodHandle decode = MethodHandles.dropArguments(constructor, parts.size(), MemorySegment.class, long.class);
        // From the last to the first: each fold of the constructor puts a part before the arguments that it is made
        // from.
        for (int index = parts.size() - 1; index >= 0; index--) {
            Part part = parts.get(index);
            MethodHandle plus = MethodHandles.insertArguments(PLUS, 1, Layouts.offsetOf(layout, part.name));
            encode = MethodHandles.foldArguments(encode, encode(part, plus));
            decode = MethodHandles.foldArguments(decode, index,
                    decode(part, plus, constructor.type().parameterType(index)));
        }
        return new Shape(name, layout, encode, decode, parts.stream().anyMatch(part -> part.shape.runsCode()));
    }

    private static MethodHandle encode(Part part, MethodHandle plus) {
        Shape shape = part.shape;
        MethodHandle value = part.accessor.asType(part.accessor.type().changeReturnType(shape.type()));
        return MethodHandles.filterArguments(shape.encode(), 0, value, null, plus);
    }

    private static MethodHandle decode(Part part, MethodHandle plus, Class<?> parameter) {
        MethodHandle value = MethodHandles.filterArguments(part.shape.decode(), 1, plus);
        return value.asType(value.type().changeReturnType(parameter));
    }

    private static StructLayout layout(List<Part> parts) {
        List<MemoryLayout> members = new ArrayList<>();
        long end = 0;
        long alignment = 1;
        for (Part part : parts) {
            MemoryLayout member = part.shape.layout();
            end = padTo(members, end, member.byteAlignment()) + member.byteSize();
            alignment = Math.max(alignment, member.byteAlignment());
            members.add(member.withName(part.name));
        }
        padTo(members, end, alignment);
        return MemoryLayout.structLayout(members.toArray(MemoryLayout[]::new));
    }

    private static long padTo(List<MemoryLayout> members, long end, long alignment) {
        long begin = Layouts.roundUp(end, alignment);
        if (begin > end) {
            members.add(MemoryLayout.paddingLayout(begin - end));
        }
        return begin;
    }
}
