package io.atoll.disni;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * A function of a native library. It is meant for calls that set things up and tear them down, because it boxes its
 * arguments.
 */
@SuppressWarnings("restricted") // Calling C is what this package is for.
public final class NativeFunction {

    static final Linker.Option CAPTURES_ERROR_NUMBER = Linker.Option.captureCallState("errno");

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERROR_NUMBER = STATE.byteOffset(groupElement("errno"));
    private static final long LONGEST_DESCRIPTION = 256;
    private static final MethodHandle DESCRIBE = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("strerror"),
                    FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));

    private final String name;
    private final MethodHandle handle; // takes the place for errno before the arguments

    NativeFunction(String name, MethodHandle handle) {
        this.name = name;
        this.handle = handle;
    }

    /** Calls a function that returns a null pointer if it fails. */
    public MemorySegment pointer(Object... arguments) throws NativeCallException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            MemorySegment result = (MemorySegment) invoke(state, arguments);
            if (result.address() == 0) {
                throw failure(state.get(ValueLayout.JAVA_INT, ERROR_NUMBER), arguments);
            }
            return result;
        }
    }

    /** Calls a function that returns a count, or -1 if it fails. */
    public int count(Object... arguments) throws NativeCallException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            int result = (int) invoke(state, arguments);
            if (result < 0) {
                throw failure(state.get(ValueLayout.JAVA_INT, ERROR_NUMBER), arguments);
            }
            return result;
        }
    }

    /** Calls a function that returns 0, or the error number or -1 if it fails. Returns 0 or the error number. */
    public int error(Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            int result = (int) invoke(state, arguments);
            return result < 0 ? state.get(ValueLayout.JAVA_INT, ERROR_NUMBER) : result;
        }
    }

    /** Calls a function as {@link #error} does, but throws if it fails. */
    public void check(Object... arguments) throws NativeCallException {
        int error = error(arguments);
        if (error != 0) {
            throw failure(error, arguments);
        }
    }

    /** Calls a function that returns nothing. */
    public void run(Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            invoke(arena.allocate(STATE), arguments);
        }
    }

    private Object invoke(MemorySegment state, Object[] arguments) {
        Object[] all = new Object[arguments.length + 1];
        all[0] = state;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        try {
            return handle.invokeWithArguments(all);
        } catch (Throwable impossible) {
            throw new AssertionError("C functions throw nothing: function=" + name, impossible);
        }
    }

    private NativeCallException failure(int errorNumber, Object[] arguments) {
        return new NativeCallException(name + Arrays.stream(arguments).map(NativeFunction::show).toList(), errorNumber,
                describe(errorNumber));
    }

    private static String show(Object argument) {
        return argument instanceof MemorySegment pointer
                ? "0x" + Long.toHexString(pointer.address())
                : String.valueOf(argument);
    }

    /** Returns the system's words for an error number. */
    public static String describe(int errorNumber) {
        try {
            return ((MemorySegment) DESCRIBE.invokeExact(errorNumber)).reinterpret(LONGEST_DESCRIPTION).getString(0);
        } catch (Throwable impossible) {
            throw new AssertionError("C functions throw nothing: function=strerror", impossible);
        }
    }
}
