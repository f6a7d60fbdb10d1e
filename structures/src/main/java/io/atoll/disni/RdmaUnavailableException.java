package io.atoll.disni;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Says that RDMA cannot be used on this machine as it is. The message tells what is missing, which package or setting
 * provides it, and how to look for it.
 */
public final class RdmaUnavailableException extends IOException {

    private static final long serialVersionUID = 1L;

    /** The kind of thing that is missing. It serves code that explains the failure to a user. */
    public enum Lack {
        /** A library, a device, a driver, or an address at the device. */
        DEVICE,
        /** The device cannot compare and swap. */
        ATOMICS,
        /** The process may not lock as much memory as the device has to access. */
        LOCKED_MEMORY
    }

    private final Lack lack;

    public RdmaUnavailableException(Lack lack, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.lack = lack;
    }

    public Lack lack() {
        return lack;
    }
}
