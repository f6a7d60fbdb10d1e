package io.atoll.fabric.rdma;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.atoll.disni.CompletionQueue;
import io.atoll.disni.Completions;
import io.atoll.disni.ConnectionId;
import io.atoll.disni.QueuePair;
import io.atoll.disni.SendChain;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The queue pair of a device as a lane's wire. */
final class QueuePairWire implements Wire {

    private static final int COMPLETIONS = 16; // taken at once
    private static final EventType[] EVENTS = EventType.values();

    private final ConnectionId id;
    private final QueuePair queuePair;
    private final CompletionQueue completionQueue;
    private final Completions completions = new Completions(COMPLETIONS);

    QueuePairWire(ConnectionId id, QueuePair queuePair, CompletionQueue completionQueue) {
        this.id = id;
        this.queuePair = queuePair;
        this.completionQueue = completionQueue;
    }

    @Override
    public int maximumInlineBytes() {
        return queuePair.maximumInlineBytes();
    }

    @Override
    public int post(SendChain chain, int first) throws IOException {
        return chain.post(queuePair, first);
    }

    @Override
    public int poll(Completed completed) throws IOException {
        int found = completions.poll(completionQueue);
        for (int index = 0; index < found; index++) {
            completed.take(completions.id(index), completions.status(index));
        }
        return found;
    }

    @Override
    public @Nullable String disconnection() throws IOException {
        RdmaCmEvent event = id.getCmChannel().getCmEvent(0);
        if (event == null) {
            return null;
        }
        breakOff(); // a thread that sees the end may reuse the memory at once
        return EVENTS[event.getEvent()].name();
    }

    @Override
    public void breakOff() throws IOException {
        id.disconnect();
    }

    @Override
    public void cut() throws IOException {
        id.destroyQP();
    }

    @Override
    public void destroy() throws IOException {
        completionQueue.destroyCQ();
        id.destroyId();
        id.getCmChannel().destroyEventChannel();
    }
}
