package io.atoll.disni;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.SVCPostSend;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * DiSNI's call that posts a {@link SendChain}, again and again. Change the requests in their place ({@link #getWrMod})
 * and {@link #execute} once more. For one thread at a time.
 */
final class PostSend extends SVCPostSend {

    private final QueuePair queuePair;
    private final SendChain chain;
    private final List<IbvSendWR> requests;
    private final @Nullable List<IbvSendWR> rejected;
    private boolean valid = true;

    /** @param rejected receives the requests that were not taken, if posting fails */
    public PostSend(QueuePair queuePair, List<IbvSendWR> requests, @Nullable List<IbvSendWR> rejected) {
        this.queuePair = queuePair;
        this.chain = new SendChain(requests);
        this.requests = List.copyOf(requests);
        this.rejected = rejected;
    }

    @Override
    public SendWorkRequest getWrMod(int index) {
        return chain.request(index);
    }

    @Override
    public PostSend execute() throws IOException {
        if (!valid) {
            throw new IllegalStateException("a call that was freed cannot be executed: valid=false");
        }
        int error = chain.post(queuePair, 0);
        if (error != 0) {
            throw failure(error);
        }
        return this;
    }

    private IOException failure(int error) {
        int taken = chain.firstRejected();
        if (rejected != null) {
            rejected.clear();
            rejected.addAll(requests.subList(taken, requests.size()));
        }
        return new IOException("posting failed: " + NativeFunction.describe(Math.abs(error)) + ": errno=" + error
                + " requests=" + requests.size() + " taken=" + taken);
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    /** Ends the use of this call, and of its memory. */
    @Override
    public PostSend free() {
        valid = false;
        return this;
    }
}
