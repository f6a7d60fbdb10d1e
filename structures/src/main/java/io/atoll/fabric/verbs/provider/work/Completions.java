package io.atoll.fabric.verbs.provider.work;

import com.ibm.disni.verbs.IbvWC;
import io.atoll.fabric.verbs.provider.resource.CompletionQueue;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Completions as a driver has written them, taken from a queue again and again: polling allocates nothing, and nothing is read of them but what is
 * asked for. For one thread at a time.
 */
public final class Completions {

    private final int most;
    private final MemorySegment structs;

    /**
     * @param most to take at once
     */
    public Completions(int most) {
        this.most = most;
        this.structs = Arena.ofAuto().allocate(WorkCompletion.LAYOUT, most);
    }

    /** Takes those that are there, in the place of those that were taken before. Returns how many. */
    public int poll(CompletionQueue queue) throws IOException {
        int found = queue.operations().poll(queue.pointer(), most, structs);
        if (found < 0) {
            throw new IOException("the completion queue is broken: result=" + found);
        }
        return found;
    }

    /** Of the work request. */
    public long id(int index) {
        return WorkCompletion.id(structs, index * WorkCompletion.BYTES);
    }

    /** One of DiSNI's {@link IbvWC.IbvWcStatus}; see {@link WorkCompletion#statusName}. */
    public int status(int index) {
        return WorkCompletion.status(structs, index * WorkCompletion.BYTES);
    }

    void read(int index, IbvWC into) {
        WorkCompletion.read(structs, index * WorkCompletion.BYTES, into);
    }
}
