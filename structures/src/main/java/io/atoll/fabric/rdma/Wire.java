package io.atoll.fabric.rdma;

import io.atoll.disni.SendChain;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A connected queue pair as its lane uses it: the device, or in a test what stands for it. */
interface Wire {

    /** Is told of a completion. */
    interface Completed {
        void take(long number, int status);
    }

    /** A write of so many bytes at most may be copied as it is posted. */
    int maximumInlineBytes();

    /** Posts linked requests from that one on. Returns 0 or the error number; some of the requests may have been taken then. */
    int post(SendChain chain, int first) throws IOException;

    /** Tells of some completions, in their order, and returns how many. By one thread at a time. */
    int poll(Completed completed) throws IOException;

    /** Returns how the peer has ended the connection, if it has. Nothing arrives from then on. */
    @Nullable String disconnection() throws IOException;

    /** Ends the connection, if it has not ended. When it returns, nothing that was posted arrives any more. */
    void breakOff() throws IOException;

    /** As {@link #breakOff()}, and nothing is posted or polled any more. */
    void cut() throws IOException;

    /** Gives back what is left, once it has been cut. */
    void destroy() throws IOException;
}
