package io.atoll.disni;

import java.io.IOException;

/**
 * Says that a native function reported a failure. The message has the function, the system's words for its error
 * number, and its arguments.
 */
final class NativeCallException extends IOException {

    private static final long serialVersionUID = 1L;

    private final int errorNumber;

    NativeCallException(String call, int errorNumber, String description) {
        super(call + " failed: " + description + ": errno=" + errorNumber);
        this.errorNumber = errorNumber;
    }

    /** Returns the number, as in {@code errno.h}. */
    public int errorNumber() {
        return errorNumber;
    }
}
