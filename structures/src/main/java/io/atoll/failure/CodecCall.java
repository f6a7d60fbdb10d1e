package io.atoll.failure;

/**
 * A thread's call of a codec of the application. The operation that calls it is not over. The key lies in a buffer of
 * the thread, or in a batch, that another operation of the thread would use as well. So the thread may use no
 * structure.
 */
public final class CodecCall {

    // How many calls a thread is in the middle of, since a codec may call another one. Of a class of the JDK: a thread
    // that outlives the application keeps no class of Atoll.
    private static final ThreadLocal<int[]> DEPTHS = ThreadLocal.withInitial(() -> new int[1]);

    // Plain: a thread that calls a codec has written it, or seen it. Others need not know.
    private static boolean hasBegun;

    private CodecCall() {}

    /** Begins a call, which the thread ends by {@link #end}. */
    public static void begin() {
        if (!hasBegun) {
            hasBegun = true;
        }
        DEPTHS.get()[0]++;
    }

    public static void end() {
        DEPTHS.get()[0]--;
    }

    /**
     * Cost: a load, as long as no codec of the application was called.
     *
     * @throws IllegalStateException if the calling thread is in the middle of a call
     */
    public static void refuseWithin() {
        if (hasBegun && DEPTHS.get()[0] > 0) {
            throw new IllegalStateException(
                    "a codec must not use a structure, look up what it needs before the operation");
        }
    }
}
