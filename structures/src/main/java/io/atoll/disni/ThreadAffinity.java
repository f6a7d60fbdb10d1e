package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The processors, among the first 64, on which a thread may run. DiSNI's completion threads ask for this. */
public final class ThreadAffinity {

    private static final int THIS_THREAD = 0;
    private static final long CPU_SET_BYTES = 128; // the size of cpu_set_t

    private static final NativeFunction SET = NativeLibrary.libc("sched_setaffinity", JAVA_INT, JAVA_LONG, ADDRESS);
    private static final NativeFunction GET = NativeLibrary.libc("sched_getaffinity", JAVA_INT, JAVA_LONG, ADDRESS);

    private ThreadAffinity() {}

    /**
     * Binds the calling thread.
     *
     * @param processors one bit for each processor; 0 changes nothing
     */
    public static void set(long processors) {
        if (processors == 0) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocateFrom(JAVA_LONG, processors);
            int error = SET.error(THIS_THREAD, mask.byteSize(), mask);
            if (error != 0) {
                throw new IllegalArgumentException(
                        "none of these processors is there: errno=" + error + " processors=0x"
                                + Long.toHexString(processors));
            }
        }
    }

    /** Returns the processors on which the calling thread may run, one bit for each. */
    public static long get() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(CPU_SET_BYTES, JAVA_LONG.byteAlignment());
            int error = GET.error(THIS_THREAD, mask.byteSize(), mask);
            if (error != 0) {
                throw new IllegalStateException("the processors of this thread are not known: errno=" + error);
            }
            return mask.get(JAVA_LONG, 0);
        }
    }
}
