package io.atoll.disni;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.util.Arrays;

/** Where the members of C structs lie. Structs and members are named as in the header, so that a test can ask the compiler. */
final class Offsets {

    private Offsets() {}

    /** Bytes from the beginning of the struct to a member, or to a member of a member. */
    public static long of(StructLayout struct, String... path) {
        return struct.byteOffset(Arrays.stream(path).map(PathElement::groupElement).toArray(PathElement[]::new));
    }

    /** Bytes of a struct that nothing here uses; what is not written there must stay zero. */
    public static MemoryLayout unused(long bytes) {
        return MemoryLayout.paddingLayout(bytes);
    }
}
