package io.atoll.map;

import io.atoll.failure.RankUnreachableException;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The owners that an operation on several keys could not reach. It goes on with the keys of the others, and fails at
 * its end. The failure is that of the first lost owner, and has those of the others as suppressed ones.
 */
final class LostOwners {

    private final BitSet owners = new BitSet();
    private @Nullable RankUnreachableException first;

    boolean isEmpty() {
        return first == null;
    }

    boolean has(int owner) {
        return first != null && owners.get(owner);
    }

    /** Goes on without that owner. Returns false if it was lost before. */
    boolean add(int owner, RankUnreachableException failure) {
        if (owners.get(owner)) {
            return false;
        }
        RankUnreachableException earlier = first;
        if (earlier == null) {
            first = failure;
        } else if (earlier != failure) {
            earlier.addSuppressed(failure);
        }
        owners.set(owner);
        return true;
    }

    /** Runs an operation on a key of that owner, unless the owner is lost or is found to be. */
    void run(int owner, Runnable operation) {
        if (has(owner)) {
            return;
        }
        try {
            operation.run();
        } catch (RankUnreachableException failure) {
            add(owner, failure);
        }
    }

    /** @throws RankUnreachableException if an owner is lost */
    void throwIfAny() {
        if (first != null) {
            throw first;
        }
    }
}
