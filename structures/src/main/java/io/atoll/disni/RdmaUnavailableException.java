package io.atoll.disni;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * RDMA cannot be used on this machine as it is. The message says what is missing, which package or setting brings it, and how to look.
 */
public final class RdmaUnavailableException extends IOException {

    private static final long serialVersionUID = 1L;

    /** What is missing, for those who explain it to a user. */
    public enum Lack {
        /** A library, a device, a driver, or an address at the device. */
        DEVICE,
        /** The device cannot compare and swap. */
        ATOMICS,
        /** The process may not lock as much memory as the device is to reach. */
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
