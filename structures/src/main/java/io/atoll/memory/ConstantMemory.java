package io.atoll.memory;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.constant.ConstantDescs;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes copies of the class {@link MappedMemory}, each for one segment that is a constant of the copy. They are hidden
 * classes of the same bytes, with the segment as class data. They are unloaded with the memory.
 */
final class ConstantMemory {

    private static final byte[] CODE = code();

    private ConstantMemory() {}

    private static byte[] code() {
        String file = MappedMemory.class.getSimpleName() + ".class";
        try (InputStream code = MappedMemory.class.getResourceAsStream(file)) {
            return Objects.requireNonNull(code, () -> "a class file that a class was loaded from: file=" + file)
                    .readAllBytes();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    static LocalMemory of(MemorySegment segment, AtomicReference<@Nullable LongFunction<RuntimeException>> refusal) {
        try {
            return (LocalMemory) MethodHandles.lookup()
                    .defineHiddenClassWithClassData(CODE, segment, true)
                    .lookupClass()
                    .getDeclaredConstructor(MemorySegment.class, AtomicReference.class)
                    .newInstance(segment, refusal);
        } catch (ReflectiveOperationException impossible) {
            throw new AssertionError("a constructor of the same code, in this package", impossible);
        }
    }

    /**
     * Returns the segment that a class was made for, if the class asks for itself. Returns null if it serves any
     * segment.
     */
    static @Nullable MemorySegment segmentOf(MethodHandles.Lookup itself) {
        try {
            return MethodHandles.classData(itself, ConstantDescs.DEFAULT_NAME, MemorySegment.class);
        } catch (IllegalAccessException impossible) {
            throw new AssertionError("a class that asks for its own", impossible);
        }
    }
}
