package io.atoll.disni;

import static java.lang.foreign.ValueLayout.ADDRESS;

import com.ibm.disni.verbs.IbvSendWR;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.List;

/**
 * Work requests that are laid out in memory once. A program may change, link and post them any number of times, on any
 * queue pair. Posting allocates nothing and rings one doorbell. For one thread at a time.
 *
 * <p>The structs lie one after the other, and the lists of their elements follow. The driver copies the structs while
 * it posts them. So they may be changed as soon as posting returns. The memory that the elements point to may not
 * change until the completion is there.
 */
public final class SendChain {

    private static final int NONE = -1;

    private final SendWorkRequest[] requests;
    private final int[] next;
    private final MemorySegment structs;
    private final MemorySegment rejected;

    /** Creates requests that are linked in the order of the list. */
    public SendChain(List<IbvSendWR> templates) {
        this(templates, Arena.ofAuto());
    }

    /**
     * Returns the bytes that these requests take, if each has one element.
     *
     * @param count the number of requests
     */
    public static long bytes(int count) {
        return count * (SendWorkRequest.BYTES + ScatterGatherElement.BYTES) + ADDRESS.byteSize();
    }

    /** @param memory provides memory for the structs, with arbitrary contents and aligned to words */
    public SendChain(List<IbvSendWR> templates, SegmentAllocator memory) {
        if (templates.isEmpty()) {
            throw new IllegalArgumentException("nothing to post: requests=0");
        }
        requests = new SendWorkRequest[templates.size()];
        next = new int[requests.length];
        structs = memory.allocate(SendWorkRequest.LAYOUT, requests.length).fill((byte) 0);
        rejected = memory.allocate(ADDRESS);
        MemorySegment elements = memory.allocate(ScatterGatherElement.LAYOUT, elementCount(templates));
        long at = 0;
        for (int index = 0; index < requests.length; index++) {
            IbvSendWR template = templates.get(index);
            long bytes = template.getSg_list().size() * ScatterGatherElement.BYTES;
            requests[index] = new SendWorkRequest(template, slot(index), elements.asSlice(at, bytes));
            at += bytes;
        }
        for (int index = 0; index + 1 < requests.length; index++) {
            link(index, index + 1);
        }
        end(requests.length - 1);
    }

    private static int elementCount(List<IbvSendWR> templates) {
        return templates.stream().mapToInt(template -> template.getSg_list().size()).sum();
    }

    private MemorySegment slot(int index) {
        return structs.asSlice(index * SendWorkRequest.BYTES, SendWorkRequest.BYTES);
    }

    public int size() {
        return requests.length;
    }

    public SendWorkRequest request(int index) {
        return requests[index];
    }

    /** Lets one request follow another. */
    public void link(int index, int following) {
        next[index] = following;
        requests[index].setNext(requests[following].struct());
    }

    /** Ends the chain after this request. */
    public void end(int index) {
        next[index] = NONE;
        requests[index].setNext(MemorySegment.NULL);
    }

    /** Returns the request that follows, or a negative number after the last. */
    public int next(int index) {
        return next[index];
    }

    /** Posts a request and those that follow it. Returns 0 or the error number. */
    public int post(QueuePair queuePair, int first) throws IOException {
        return queuePair.operations().postSend(queuePair.pointer(), requests[first].struct(), rejected);
    }

    /** Returns the first request that was not taken, after posting has failed. */
    public int firstRejected() {
        return (int) ((rejected.get(ADDRESS, 0).address() - structs.address()) / SendWorkRequest.BYTES);
    }
}
