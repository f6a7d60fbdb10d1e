package io.atoll.disni;

import com.ibm.disni.verbs.SVCReqNotify;
import java.io.IOException;

/** DiSNI's call for {@link CompletionQueue#requestNotification}. */
final class RequestNotification extends SVCReqNotify {

    private final CompletionQueue queue;
    private final boolean solicitedOnly;
    private boolean valid = true;

    RequestNotification(CompletionQueue queue, boolean solicitedOnly) {
        this.queue = queue;
        this.solicitedOnly = solicitedOnly;
    }

    @Override
    public RequestNotification execute() throws IOException {
        queue.requestNotification(solicitedOnly);
        return this;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public RequestNotification free() {
        valid = false;
        return this;
    }
}
