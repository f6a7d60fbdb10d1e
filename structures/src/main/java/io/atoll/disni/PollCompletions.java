package io.atoll.disni;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import java.io.IOException;

/**
 * DiSNI's call that takes completions from a queue into objects, again and again. Executing it allocates nothing. For
 * one thread at a time: if several threads poll one queue, each needs its own call.
 */
final class PollCompletions extends SVCPollCq {

    private final CompletionQueue queue;
    private final IbvWC[] completions;
    private final Completions found;
    private int polls;
    private boolean valid = true;

    /** @param most the most completions to take at once */
    public PollCompletions(CompletionQueue queue, IbvWC[] completions, int most) {
        if (most < 1 || most > completions.length) {
            throw new IllegalArgumentException(
                    "completions need a place each: places=" + completions.length + " most=" + most);
        }
        this.queue = queue;
        this.completions = completions;
        this.found = new Completions(most);
    }

    @Override
    public PollCompletions execute() throws IOException {
        if (!valid) {
            throw new IllegalStateException("a call that was freed cannot be executed: valid=false");
        }
        polls = 0;
        int count = found.poll(queue);
        for (int index = 0; index < count; index++) {
            found.read(index, completions[index]);
        }
        polls = count;
        return this;
    }

    @Override
    public int getPolls() {
        return polls;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    /** Ends the use of this call, and of its memory. */
    @Override
    public PollCompletions free() {
        valid = false;
        return this;
    }
}
