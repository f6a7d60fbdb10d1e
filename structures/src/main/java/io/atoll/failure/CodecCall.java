package io.atoll.failure;

/**
 * A thread's call of a codec of the application. The operation that calls it is not over: the key lies in a buffer of
 * the thread, or a batch, that another operation of the thread would use as well. So the thread may use no structure.
 */
public final class CodecCall {

    private static final ThreadLocal<CodecCall> CALLS = ThreadLocal.withInitial(CodecCall::new);

    // Plain: a thread that calls a codec has written it, or seen it. Others need not know.
    private static boolean hasBegun;

    private int depth; // a codec may call another one

    private CodecCall() {}

    /** Begins a call, which ends by {@link #end}. */
    public static CodecCall begin() {
        if (!hasBegun) {
            hasBegun = true;
        }
        CodecCall call = CALLS.get();
        call.depth++;
        return call;
    }

    public void end() {
        depth--;
    }

    /**
     * Cost: a load, as long as no codec of the application was called.
     *
     * @throws IllegalStateException if the calling thread is in the middle of a call
     */
    public static void refuseWithin() {
        if (hasBegun && CALLS.get().depth > 0) {
            throw new IllegalStateException(
                    "a codec must not use a structure, look up what it needs before the operation");
        }
    }
}
