package io.atoll.disni;

import com.ibm.disni.verbs.SVCRegMr;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** DiSNI's call for {@link MemoryRegion#register}; each execution makes a region. */
final class RegisterMemory extends SVCRegMr {

    private final ProtectionDomain domain;
    private final MemorySegment memory;
    private final int access;
    private @Nullable MemoryRegion region;
    private boolean valid = true;

    RegisterMemory(ProtectionDomain domain, MemorySegment memory, int access) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("only memory outside the Java heap stays where it is: direct=false");
        }
        this.domain = domain;
        this.memory = memory;
        this.access = access;
    }

    @Override
    public RegisterMemory execute() throws IOException {
        region = MemoryRegion.register(domain, memory, access);
        return this;
    }

    /** Returns null before the first execution. */
    @Override
    public @Nullable MemoryRegion getMr() {
        return region;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public RegisterMemory free() {
        valid = false;
        return this;
    }
}
