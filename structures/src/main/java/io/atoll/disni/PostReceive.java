package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;

import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.SVCPostRecv;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * DiSNI's call that posts a chain of buffers to receive into. They are laid out in memory as in {@link PostSend}. For
 * one thread at a time.
 */
final class PostReceive extends SVCPostRecv {

    private final QueuePair queuePair;
    private final List<IbvRecvWR> requests;
    private final @Nullable List<IbvRecvWR> rejected;
    private final ReceiveWorkRequest[] chain;
    private final MemorySegment first;
    private final MemorySegment firstRejected;
    private boolean valid = true;

    /** @param rejected receives the requests that were not taken, if posting fails */
    public PostReceive(QueuePair queuePair, List<IbvRecvWR> requests, @Nullable List<IbvRecvWR> rejected) {
        if (requests.isEmpty()) {
            throw new IllegalArgumentException("nothing to post: requests=0");
        }
        this.queuePair = queuePair;
        this.requests = List.copyOf(requests);
        this.rejected = rejected;
        this.chain = new ReceiveWorkRequest[requests.size()];
        Arena arena = Arena.ofAuto();
        this.first = arena.allocate(ReceiveWorkRequest.LAYOUT, chain.length);
        this.firstRejected = arena.allocate(ADDRESS);
        MemorySegment elements = arena.allocate(ScatterGatherElement.LAYOUT, elementCount(requests));
        long at = 0;
        for (int index = 0; index < chain.length; index++) {
            IbvRecvWR request = requests.get(index);
            long bytes = ReceiveWorkRequest.elements(request).size() * ScatterGatherElement.BYTES;
            chain[index] = new ReceiveWorkRequest(request, slot(index), elements.asSlice(at, bytes));
            at += bytes;
        }
        link();
    }

    private static int elementCount(List<IbvRecvWR> requests) {
        return requests.stream().mapToInt(request -> ReceiveWorkRequest.elements(request).size()).sum();
    }

    private MemorySegment slot(int index) {
        return first.asSlice(index * ReceiveWorkRequest.BYTES, ReceiveWorkRequest.BYTES);
    }

    private void link() {
        for (int index = 0; index + 1 < chain.length; index++) {
            chain[index].setNext(chain[index + 1].struct());
        }
    }

    @Override
    public ReceiveWorkRequest getWrMod(int index) {
        return chain[index];
    }

    @Override
    public PostReceive execute() throws IOException {
        if (!valid) {
            throw new IllegalStateException("a call that was freed cannot be executed: valid=false");
        }
        int error = queuePair.operations().postReceive(queuePair.pointer(), first, firstRejected);
        if (error != 0) {
            throw failure(error);
        }
        return this;
    }

    private IOException failure(int error) {
        int index = (int) ((firstRejected.get(ADDRESS, 0).address() - first.address()) / ReceiveWorkRequest.BYTES);
        if (rejected != null) {
            rejected.clear();
            rejected.addAll(requests.subList(index, requests.size()));
        }
        return new IOException("posting failed: " + NativeFunction.describe(Math.abs(error)) + ": errno=" + error
                + " requests=" + chain.length + " taken=" + index);
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    /** Ends the use of this call, and of its memory. */
    @Override
    public PostReceive free() {
        valid = false;
        return this;
    }
}
