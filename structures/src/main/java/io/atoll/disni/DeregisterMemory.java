package io.atoll.disni;

import com.ibm.disni.verbs.SVCDeregMr;
import java.io.IOException;

/** DiSNI's call for {@link MemoryRegion#deregister}. */
final class DeregisterMemory extends SVCDeregMr {

    private final MemoryRegion region;
    private boolean valid = true;

    DeregisterMemory(MemoryRegion region) {
        this.region = region;
    }

    @Override
    public DeregisterMemory execute() throws IOException {
        region.deregister();
        return this;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public DeregisterMemory free() {
        valid = false;
        return this;
    }
}
