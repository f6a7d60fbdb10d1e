package io.atoll.disni;

import io.atoll.disni.RdmaUnavailableException.Lack;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;

/** A shared library that stays loaded. Its name is the one that the dynamic linker knows. */
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
     * @param debianPackage the package that a user must install to have the library; the message also has the names of
     * other distributions
     * @throws RdmaUnavailableException if the library is not installed
     */
    public static NativeLibrary load(String name, String debianPackage) throws RdmaUnavailableException {
        try {
            return new NativeLibrary(name, SymbolLookup.libraryLookup(name, Arena.global()));
        } catch (IllegalArgumentException notFound) {
            throw new RdmaUnavailableException(Lack.DEVICE, "RDMA needs a library that is not installed: library="
                    + name
                    + "; install it (Debian, Ubuntu: apt-get install " + debianPackage
                    + " ibverbs-providers; Fedora, RHEL: dnf install libibverbs librdmacm),"
                    + " look for it with: ldconfig -p | grep "
                    + name, notFound);
        }
    }

    /** Returns a function of the C library that returns an int. The C library is always there. */
    public static NativeFunction libc(String function, MemoryLayout... arguments) {
        return new NativeFunction(function, LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(function),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments), NativeFunction.CAPTURES_ERROR_NUMBER));
    }

    /** Returns a function that returns an int: 0 or a count, and -1 or an error number if it fails. */
    public NativeFunction intFunction(String function, MemoryLayout... arguments) throws RdmaUnavailableException {
        return function(function, FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
    }

    /** Returns a function that returns a pointer, and null if it fails. */
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
