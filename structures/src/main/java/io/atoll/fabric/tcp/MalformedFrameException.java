package io.atoll.fabric.tcp;

import java.io.IOException;

/** The other side has sent what no rank sends. */
final class MalformedFrameException extends IOException {

    private static final long serialVersionUID = 1L;

    MalformedFrameException(String message) {
        super(message);
    }
}
