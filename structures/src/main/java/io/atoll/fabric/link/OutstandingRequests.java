package io.atoll.fabric.link;

import io.atoll.failure.RankUnreachableException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The requests that a thread has posted and not yet seen completed: the last number for each lane. For one thread at a
 * time.
 */
public final class OutstandingRequests {

    private Lane[] lanes = new Lane[2];
    private Last[] last = {new Last(), new Last()};
    private int count;

    private static final class Last {
        private long number;
        private String verb = "";
        private long offset;
    }

    /** Makes sure that adding the next request of this lane needs no more memory. */
    public void reserve(Lane lane) {
        indexOf(lane);
    }

    public void add(Lane lane, long number, String verb, long offset) {
        int index = indexOf(lane);
        last[index].number = number;
        last[index].verb = verb;
        last[index].offset = offset;
    }

    private int indexOf(Lane lane) {
        for (int index = 0; index < count; index++) {
            if (lanes[index] == lane) {
                return index;
            }
        }
        if (count == lanes.length) {
            Last[] more = Arrays.copyOf(last, 2 * count);
            for (int index = count; index < more.length; index++) {
                more[index] = new Last();
            }
            lanes = Arrays.copyOf(lanes, more.length);
            last = more;
        }
        lanes[count] = lane;
        last[count].number = 0; // a number that has always completed
        return count++;
    }

    /**
     * Returns true if nothing is under way any more.
     *
     * @throws RankUnreachableException if nothing is under way because something has failed
     */
    public boolean isDone() {
        RankUnreachableException failure = null;
        for (int index = 0; index < count; index++) {
            try {
                if (!lanes[index].isDone(last[index].number, last[index].verb, last[index].offset)) {
                    return false;
                }
            } catch (RankUnreachableException broken) {
                failure = failure == null ? broken : failure;
            }
        }
        clear();
        throwIfAny(failure);
        return true;
    }

    /** Waits until nothing is under way. Throws the failure, if there was one. */
    public void await() {
        throwIfAny(settle());
    }

    /**
     * Waits until nothing is under way. Returns the failure, or null. If an error stops the thread from waiting for one
     * lane, it still waits for the others. The next call waits again.
     */
    public @Nullable RankUnreachableException settle() {
        RankUnreachableException failure = null;
        Error error = null;
        for (int index = 0; index < count; index++) {
            try {
                lanes[index].await(last[index].number, last[index].verb, last[index].offset);
            } catch (RankUnreachableException broken) {
                failure = failure == null ? broken : failure;
            } catch (Error thrown) {
                error = error == null ? thrown : error;
            }
        }
        if (error != null) {
            throw error;
        }
        clear();
        return failure;
    }

    private void clear() {
        Arrays.fill(lanes, 0, count, null); // do not keep lanes of ranks that are gone
        count = 0;
    }

    private static void throwIfAny(@Nullable RankUnreachableException failure) {
        if (failure != null) {
            throw failure;
        }
    }
}
