package io.atoll.fabric.rdma;

import io.atoll.disni.SendChain;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A connected queue pair as its lane uses it. In a test, a fake stands for the device. */
interface Wire {

    /** Receives completions. */
    interface Completed {
        void take(long number, int status);
    }

    /** Returns the largest number of bytes of a write that may be copied when it is posted. */
    int maximumInlineBytes();

    /**
     * Posts linked requests, beginning with {@code first}. Returns 0 or the error number. After an error some of the
     * requests may have been taken.
     */
    int post(SendChain chain, int first) throws IOException;

    /** Reports some completions in their order, and returns how many. One thread at a time may poll. */
    int poll(Completed completed) throws IOException;

    /** Returns how the peer has ended the connection, or null if it has not. After an end nothing arrives any more. */
    @Nullable String disconnection() throws IOException;

    /** Ends the connection if it has not ended yet. When it returns, nothing that was posted arrives any more. */
    void breakOff() throws IOException;

    /** As {@link #breakOff()}, and from then on nothing may be posted or polled. */
    void cut() throws IOException;

    /** Frees the rest, after {@link #cut}. */
    void destroy() throws IOException;
}
