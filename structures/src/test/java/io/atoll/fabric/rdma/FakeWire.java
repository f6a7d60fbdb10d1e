package io.atoll.fabric.rdma;

import com.ibm.disni.verbs.IbvSendWR;
import io.atoll.disni.SendChain;
import io.atoll.disni.SendWorkRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection without a device. Posted requests complete when the test says so. */
final class FakeWire implements Wire {

    /** A request as it was posted. */
    record Posted(long number, int opcode, int flags) {

        boolean isFenced() {
            return (flags & IbvSendWR.IBV_SEND_FENCE) != 0;
        }

        boolean isSignaled() {
            return (flags & IbvSendWR.IBV_SEND_SIGNALED) != 0;
        }

        boolean isInline() {
            return (flags & IbvSendWR.IBV_SEND_INLINE) != 0;
        }
    }

    private static final int SUCCESS = 0;
    private static final int OUT_OF_MEMORY = 12;

    final List<Posted> posted = new ArrayList<>();
    private final Deque<Posted> underWay = new ArrayDeque<>();
    private final Deque<long[]> completions = new ArrayDeque<>();
    int taken = Integer.MAX_VALUE; // how many more requests are taken before posting fails
    boolean completesAtOnce;
    @Nullable String ended;
    @Nullable Error errorWhilePosting; // thrown after the requests that are taken
    @Nullable Error errorWhilePolling; // thrown instead of reporting completions, which are lost
    boolean brokenOff;
    boolean cut;
    boolean destroyed;

    @Override
    public int maximumInlineBytes() {
        return 64;
    }

    @Override
    public int post(SendChain chain, int first) {
        for (int index = first; index >= 0; index = chain.next(index)) {
            if (taken == 0) {
                throwOnce(errorWhilePosting);
                return OUT_OF_MEMORY;
            }
            taken--;
            SendWorkRequest request = chain.request(index);
            Posted one = new Posted(request.getWr_id(), request.getOpcode(), request.getSend_flags());
            posted.add(one);
            underWay.add(one);
        }
        if (completesAtOnce) {
            complete(Long.MAX_VALUE);
        }
        return 0;
    }

    /** Completes all requests up to this number, and reports those that have asked for it. */
    void complete(long number) {
        while (!underWay.isEmpty() && underWay.peek().number() <= number) {
            Posted done = underWay.remove();
            if (done.isSignaled()) {
                completions.add(new long[]{done.number(), SUCCESS});
            }
        }
    }

    void fail(long number, int status) {
        completions.add(new long[]{number, status});
    }

    @Override
    public int poll(Completed completed) {
        if (errorWhilePolling != null) {
            completions.clear();
            throwOnce(errorWhilePolling);
        }
        int count = completions.size();
        completions.forEach(each -> completed.take(each[0], (int) each[1]));
        completions.clear();
        return count;
    }

    @Override
    public @Nullable String disconnection() {
        return ended;
    }

    private void throwOnce(@Nullable Error error) {
        errorWhilePosting = null;
        errorWhilePolling = null;
        if (error != null) {
            throw error;
        }
    }

    @Override
    public void breakOff() {
        brokenOff = true;
    }

    @Override
    public void cut() {
        cut = true;
    }

    @Override
    public void destroy() {
        destroyed = true;
    }
}
