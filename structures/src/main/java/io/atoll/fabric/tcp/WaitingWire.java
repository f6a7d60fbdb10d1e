package io.atoll.fabric.tcp;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A wire by which a thread can wait for bytes without a selector. */
interface WaitingWire extends Wire {

    /**
     * Waits until something has arrived, and reads it. Returns 0 if nothing has arrived for a quarter of a second, and
     * otherwise as {@link #read} does. An interrupt neither ends the wait nor closes the channel.
     */
    int await(ByteBuffer target) throws IOException;

    /** Ends the wait and all later ones. Nothing more is read from this connection. May be called again. */
    void endWaits();
}
