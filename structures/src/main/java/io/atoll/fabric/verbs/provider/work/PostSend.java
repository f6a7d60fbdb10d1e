package io.atoll.fabric.verbs.provider.work;

import static java.lang.foreign.ValueLayout.ADDRESS;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.SVCPostSend;
import io.atoll.fabric.verbs.provider.foreign.NativeFunction;
import io.atoll.fabric.verbs.provider.resource.QueuePair;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A chain of work requests, laid out in memory once and posted as often as one likes, with one doorbell: change what lies there
 * ({@link #getWrMod}) and {@link #execute} again. Executing allocates nothing. For one thread at a time.
 *
 * <p>The structs lie behind each other, the lists of their elements after them. The device takes them over while it is posted, so
 * they may be changed as soon as execute returns; what the elements point to may not, until the completion is there.
 */
public final class PostSend extends SVCPostSend {

    private final QueuePair queuePair;
    private final List<IbvSendWR> requests;
    private final @Nullable List<IbvSendWR> rejected;
    private final SendWorkRequest[] chain;
    private final MemorySegment first;
    private final MemorySegment firstRejected;
    private boolean valid = true;

    /**
     * @param rejected filled, when posting fails, with the requests that were not taken
     */
    public PostSend(QueuePair queuePair, List<IbvSendWR> requests, @Nullable List<IbvSendWR> rejected) {
        if (requests.isEmpty()) {
            throw new IllegalArgumentException("nothing to post: requests=0");
        }
        this.queuePair = queuePair;
        this.requests = List.copyOf(requests);
        this.rejected = rejected;
        this.chain = new SendWorkRequest[requests.size()];
        Arena arena = Arena.ofAuto();
        this.first = arena.allocate(SendWorkRequest.LAYOUT, chain.length);
        this.firstRejected = arena.allocate(ADDRESS);
        MemorySegment elements = arena.allocate(ScatterGatherElement.LAYOUT, elementCount(requests));
        long at = 0;
        for (int index = 0; index < chain.length; index++) {
            IbvSendWR request = requests.get(index);
            long bytes = request.getSg_list().size() * ScatterGatherElement.BYTES;
            chain[index] = new SendWorkRequest(request, slot(index), elements.asSlice(at, bytes));
            at += bytes;
        }
        link();
    }

    private static int elementCount(List<IbvSendWR> requests) {
        return requests.stream().mapToInt(request -> request.getSg_list().size()).sum();
    }

    private MemorySegment slot(int index) {
        return first.asSlice(index * SendWorkRequest.BYTES, SendWorkRequest.BYTES);
    }

    private void link() {
        for (int index = 0; index + 1 < chain.length; index++) {
            chain[index].setNext(chain[index + 1].struct());
        }
    }

    @Override
    public SendWorkRequest getWrMod(int index) {
        return chain[index];
    }

    @Override
    public PostSend execute() throws IOException {
        if (!valid) {
            throw new IllegalStateException("a call that was freed cannot be executed: valid=false");
        }
        int error = queuePair.operations().postSend(queuePair.pointer(), first, firstRejected);
        if (error != 0) {
            throw failure(error);
        }
        return this;
    }

    private IOException failure(int error) {
        int index = (int) ((firstRejected.get(ADDRESS, 0).address() - first.address()) / SendWorkRequest.BYTES);
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

    /** Ends the use of this call; its memory goes with it. */
    @Override
    public PostSend free() {
        valid = false;
        return this;
    }
}
