package io.atoll.disni;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.util.Arrays;

/**
 * The offsets of the members of C structs. Structs and members have the same names as in the header, so that a test can
 * ask the compiler.
 */
final class Offsets {

    private Offsets() {}

    /** Returns the bytes from the beginning of the struct to a member, or to a member of a member. */
    public static long of(StructLayout struct, String... path) {
        return struct.byteOffset(Arrays.stream(path).map(PathElement::groupElement).toArray(PathElement[]::new));
    }

    /** Returns a part of a struct that is not used here. Bytes that are not written there must stay zero. */
    public static MemoryLayout unused(long bytes) {
        return MemoryLayout.paddingLayout(bytes);
    }
}
