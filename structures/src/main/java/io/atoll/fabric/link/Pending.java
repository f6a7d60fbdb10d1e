package io.atoll.fabric.link;

import io.atoll.failure.RankUnreachableException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What a thread has posted and not seen completed: of each lane, the last number. For one thread at a time. */
public final class Pending {

    private Lane[] lanes = new Lane[2];
    private Last[] last = {new Last(), new Last()};
    private int count;

    private static final class Last {
        private long number;
        private String verb = "";
        private long offset;
    }

    /** Sees to it that what is posted to the lane next can be added without more memory. */
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
        last[count].number = 0; // which has always completed
        return count++;
    }

    /**
     * Returns whether nothing is under way any more.
     *
     * @throws RankUnreachableException when that is so because something has failed
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

    /** Returns when nothing is under way any more; throws what went wrong with it. */
    public void await() {
        throwIfAny(settle());
    }

    /**
     * Returns when nothing is under way any more, with what went wrong with it. An error that keeps the thread from
     * waiting for one lane does not keep it from waiting for the others. What it concerns is waited for the next time.
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
        Arrays.fill(lanes, 0, count, null); // lanes of ranks that are gone must not be kept
        count = 0;
    }

    private static void throwIfAny(@Nullable RankUnreachableException failure) {
        if (failure != null) {
            throw failure;
        }
    }
}
