package io.atoll.fabric.tcp;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Calls of the C library on sockets, as Linux has them on the processors that are named here. The JDK keeps the
 * descriptor of a channel's socket to itself. So it is looked for among those of this process: no other socket has the
 * same two addresses.
 */
@SuppressWarnings("restricted") // Calling C is what this class is for.
final class SocketCalls {

    /** No descriptor. */
    static final int NONE = -1;

    /** MSG_DONTWAIT. */
    static final int WAITS_NEVER = 0x40;

    private static final int RAISES_NO_SIGNAL = 0x4000; // MSG_NOSIGNAL
    private static final int INTERRUPTED = 4; // EINTR
    private static final int NOTHING_NOW = 11; // EAGAIN
    private static final int GET_FLAGS = 3; // F_GETFL
    private static final int SET_FLAGS = 4; // F_SETFL
    private static final int NEVER_BLOCKS = 0x800; // O_NONBLOCK
    private static final int SOCKET_LEVEL = 1; // SOL_SOCKET
    private static final int RECEIVE_TIMEOUT = 20; // SO_RCVTIMEO
    private static final int FAMILY_4 = 2; // AF_INET
    private static final int FAMILY_6 = 10; // AF_INET6

    /** The descriptors of this process. */
    static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final ValueLayout.OfShort NETWORK_SHORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long PORT = 2;
    private static final long ADDRESS_4 = 4;
    private static final long ADDRESS_6 = 8;
    private static final long MOST_ADDRESS_BYTES = 128;
    private static final long TIME_BYTES = 2 * Long.BYTES; // seconds and microseconds
    private static final long MILLIS_PER_SECOND = 1_000;
    private static final Class<?> NATIVE_MEMORY = MemorySegment.NULL.getClass();

    /** True if this process may call the C library, and if the numbers above are those of its system. */
    static final boolean ARE_POSSIBLE = SocketCalls.class.getModule().isNativeAccessEnabled()
            && System.getProperty("os.name").equals("Linux")
            && Set.of("amd64", "aarch64").contains(System.getProperty("os.arch"))
            && Files.isDirectory(DESCRIPTORS);

    private SocketCalls() {}

    /** The functions. They are looked for only where calls are possible. */
    private static final class Functions {
        private static final StructLayout STATE = Linker.Option.captureStateLayout();
        private static final long ERROR_NUMBER = STATE.byteOffset(groupElement("errno"));
        private static final Linker LINKER = Linker.nativeLinker();
        // Not constants, so that the compiler compiles each by itself: within its callers it allocates for each call.
        private static MethodHandle receive = transferFunction("recv");
        private static MethodHandle send = transferFunction("send");
        private static final MethodHandle LOCAL_ADDRESS = addressFunction("getsockname");
        private static final MethodHandle REMOTE_ADDRESS = addressFunction("getpeername");
        private static final MethodHandle SET_OPTION = function("setsockopt",
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT));
        private static final MethodHandle CONTROL = function("fcntl",
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT), Linker.Option.firstVariadicArg(2));

        private static MethodHandle transferFunction(String name) {
            MethodHandle keepingError = function(name,
                    FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT),
                    Linker.Option.captureCallState("errno"));
            return MethodHandles.filterArguments(keepingError, 0, ofKnownClass());
        }

        private static MethodHandle ofKnownClass() {
            try {
                return MethodHandles.lookup()
                        .findStatic(SocketCalls.class, "ofKnownClass",
                                MethodType.methodType(MemorySegment.class, MemorySegment.class));
            } catch (ReflectiveOperationException impossible) {
                throw new AssertionError(impossible);
            }
        }

        private static MethodHandle addressFunction(String name) {
            return function(name, FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, ADDRESS));
        }

        private static MethodHandle function(String name, FunctionDescriptor descriptor, Linker.Option... options) {
            return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, options);
        }
    }

    // --- while a connection is made ---

    /**
     * Returns the descriptor of a connected channel's socket, or {@link #NONE} if it is not found.
     *
     * @param folder the {@link #DESCRIPTORS}
     * @throws UncheckedIOException if they cannot be listed
     */
    static int descriptor(SocketChannel channel, Path folder) throws IOException {
        SocketAddress local = channel.getLocalAddress();
        SocketAddress remote = channel.getRemoteAddress();
        try (Arena arena = Arena.ofConfined(); Stream<Path> descriptors = list(folder)) {
            MemorySegment length = arena.allocate(JAVA_INT);
            MemorySegment address = arena.allocate(MOST_ADDRESS_BYTES, Long.BYTES);
            return descriptors.mapToInt(each -> Integer.parseInt(each.getFileName().toString()))
                    .filter(each -> local.equals(address(Functions.LOCAL_ADDRESS, each, address, length))
                            && remote.equals(address(Functions.REMOTE_ADDRESS, each, address, length)))
                    .findFirst()
                    .orElse(NONE);
        }
    }

    private static Stream<Path> list(Path folder) {
        try {
            return Files.list(folder);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Returns one of a socket's two addresses, or null if this is no socket of the Internet. */
    private static @Nullable SocketAddress address(MethodHandle function, int descriptor, MemorySegment address,
            MemorySegment length) {
        length.set(JAVA_INT, 0, (int) MOST_ADDRESS_BYTES);
        int result;
        try {
            result = (int) function.invokeExact(descriptor, address, length);
        } catch (Throwable error) {
            throw thrown(error);
        }
        return result == 0 ? read(address) : null;
    }

    private static @Nullable SocketAddress read(MemorySegment address) {
        int port = Short.toUnsignedInt(address.get(NETWORK_SHORT, PORT));
        return switch (address.get(JAVA_SHORT, 0)) {
            case FAMILY_4 -> read(address.asSlice(ADDRESS_4, 4), port);
            case FAMILY_6 -> read(address.asSlice(ADDRESS_6, 16), port);
            default -> null;
        };
    }

    private static SocketAddress read(MemorySegment bytes, int port) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(bytes.toArray(JAVA_BYTE)), port);
        } catch (UnknownHostException impossible) {
            throw new AssertionError("an address has 4 or 16 bytes", impossible);
        }
    }

    /** Lets calls on the socket wait, unless they say otherwise. Limits how long they wait for something to arrive. */
    static void letWait(int descriptor, long mostMillis) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment time = arena.allocate(TIME_BYTES, Long.BYTES);
            time.set(JAVA_LONG, 0, TimeUnit.MILLISECONDS.toSeconds(mostMillis));
            time.set(JAVA_LONG, Long.BYTES, TimeUnit.MILLISECONDS.toMicros(mostMillis % MILLIS_PER_SECOND));
            requireDone((int) Functions.SET_OPTION.invokeExact(descriptor, SOCKET_LEVEL, RECEIVE_TIMEOUT, time,
                    (int) TIME_BYTES));
            int flags = requireDone((int) Functions.CONTROL.invokeExact(descriptor, GET_FLAGS, 0));
            requireDone((int) Functions.CONTROL.invokeExact(descriptor, SET_FLAGS, flags & ~NEVER_BLOCKS));
        } catch (IOException failed) {
            throw failed;
        } catch (Throwable error) {
            throw thrown(error);
        }
    }

    private static int requireDone(int result) throws IOException {
        if (result < 0) {
            throw new IOException("a socket cannot be set up");
        }
        return result;
    }

    // --- while it is used ---

    /** Allocates the place where a call leaves errno. */
    static MemorySegment allocateState(SegmentAllocator allocator) {
        return allocator.allocate(Functions.STATE);
    }

    /**
     * Returns the same segment, of which the compiler knows the class from here on. For each call the JDK makes a slice
     * of it. The compiler leaves that out if it knows how this class makes slices. The profile does not tell, since all
     * segments of the process share it.
     */
    private static MemorySegment ofKnownClass(MemorySegment state) {
        if (state.getClass() != NATIVE_MEMORY) {
            throw new IllegalArgumentException("this is no native memory: state=" + state);
        }
        return state;
    }

    /** Returns how many bytes were received: 0 at the end of the connection, {@link #NONE} if nothing has come. */
    static int receive(MemorySegment state, int descriptor, long address, int bytes, int flags) throws IOException {
        long received;
        try {
            received = (long) Functions.receive.invokeExact(state, descriptor, address, (long) bytes,
                    flags);
        } catch (Throwable error) {
            throw thrown(error);
        }
        return received >= 0 ? (int) received : noneUnlessFailed(state);
    }

    /** Returns the number of bytes that the socket has taken, or {@link #NONE} if it has no room. */
    static int send(MemorySegment state, int descriptor, long address, int bytes) throws IOException {
        long sent;
        try {
            sent = (long) Functions.send.invokeExact(state, descriptor, address, (long) bytes,
                    WAITS_NEVER | RAISES_NO_SIGNAL);
        } catch (Throwable error) {
            throw thrown(error);
        }
        return sent >= 0 ? (int) sent : noneUnlessFailed(state);
    }

    private static int noneUnlessFailed(MemorySegment state) throws IOException {
        int errorNumber = state.get(JAVA_INT, Functions.ERROR_NUMBER);
        if (errorNumber != NOTHING_NOW && errorNumber != INTERRUPTED) {
            throw new IOException("the socket has failed: errno=" + errorNumber);
        }
        return NONE;
    }

    /** A C function throws nothing. A thread may have no room on its stack to call it. */
    private static Error thrown(Throwable error) {
        return error instanceof Error asItIs ? asItIs : new AssertionError("C functions throw nothing", error);
    }
}
