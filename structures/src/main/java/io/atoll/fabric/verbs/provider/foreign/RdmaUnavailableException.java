package io.atoll.fabric.verbs.provider.foreign;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * RDMA cannot be used on this machine as it is. The message says what is missing, which package or setting brings it, and how to look.
 */
public final class RdmaUnavailableException extends IOException {

    private static final long serialVersionUID = 1L;

    public RdmaUnavailableException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
