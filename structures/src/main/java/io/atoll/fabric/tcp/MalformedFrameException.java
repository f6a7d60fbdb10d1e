package io.atoll.fabric.tcp;

import java.io.IOException;

/** Says that the other side has sent bytes that no rank sends. */
final class MalformedFrameException extends IOException {

    private static final long serialVersionUID = 1L;

    MalformedFrameException(String message) {
        super(message);
    }
}
