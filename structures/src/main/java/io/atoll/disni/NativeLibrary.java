package io.atoll.disni;

import io.atoll.disni.RdmaUnavailableException.Lack;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;

/** A shared library that stays loaded, by the name the dynamic linker knows it by. */
@SuppressWarnings("restricted") // Calling C is what this package is for.
final class NativeLibrary {

    private static final Linker LINKER = Linker.nativeLinker();

    private final String name;
    private final SymbolLookup symbols;

    private NativeLibrary(String name, SymbolLookup symbols) {
        this.name = name;
        this.symbols = symbols;
    }

    /**
     * @param debianPackage what a user must install to have it; other distributions have the names in the message, too
     * @throws RdmaUnavailableException when the library is not installed
     */
    public static NativeLibrary load(String name, String debianPackage) throws RdmaUnavailableException {
        try {
            return new NativeLibrary(name, SymbolLookup.libraryLookup(name, Arena.global()));
        } catch (IllegalArgumentException notFound) {
            throw new RdmaUnavailableException(Lack.DEVICE, "RDMA needs a library that is not installed: library="
                    + name
                    + "; install it (Debian, Ubuntu: apt-get install " + debianPackage
                    + " ibverbs-providers; Fedora, RHEL: dnf install libibverbs librdmacm), look for it with: ldconfig -p | grep "
                    + name, notFound);
        }
    }

    /** A function of the C library, which is always there, that returns an int. */
    public static NativeFunction libc(String function, MemoryLayout... arguments) {
        return new NativeFunction(function, LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(function),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments), NativeFunction.CAPTURES_ERROR_NUMBER));
    }

    /** A function that returns an int: 0 or a count, and -1 or an error number when it fails. */
    public NativeFunction intFunction(String function, MemoryLayout... arguments) throws RdmaUnavailableException {
        return function(function, FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
    }

    /** A function that returns a pointer, null when it fails. */
    public NativeFunction pointerFunction(String function, MemoryLayout... arguments) throws RdmaUnavailableException {
        return function(function, FunctionDescriptor.of(ValueLayout.ADDRESS, arguments));
    }

    public NativeFunction voidFunction(String function, MemoryLayout... arguments) throws RdmaUnavailableException {
        return function(function, FunctionDescriptor.ofVoid(arguments));
    }

    private NativeFunction function(String function, FunctionDescriptor descriptor) throws RdmaUnavailableException {
        MemorySegment address = symbols.find(function)
                .orElseThrow(() -> new RdmaUnavailableException(Lack.DEVICE,
                        "a library is too old, or not the one it is called: library=" + name + " function=" + function,
                        null));
        return new NativeFunction(function,
                LINKER.downcallHandle(address, descriptor, NativeFunction.CAPTURES_ERROR_NUMBER));
    }
}
