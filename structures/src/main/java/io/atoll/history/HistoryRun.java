package io.atoll.history;

import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The run of the own segment that holds a history. One thread at a time uses it.
 * <pre>
 *      word = 0 ---(1)--> reserved, history begun --(2)--> announced --(3)--> word = run --(4)--> committed
 *      word = run -(5)--> pending, announced ------(6)--> word = 0 --(7)--> freed
 * </pre>
 *
 * <p>The second line is for a run that is too small: another version has written fewer series there. A process that
 * dies between two of these steps leaves nothing behind: the run is committed if the word has it, and taken back
 * otherwise. A process that lives on, after an {@code Error} between two of them, calls again. A field holds the run
 * that is reserved or left, so the next call goes on with it. Runs that a former life of the rank had reserved are
 * taken back when that life is repaired.
 */
final class HistoryRun {

    private static final long NONE = 0;

    private final HistoryBlock block;
    private int incarnation; // of the life whose runs these are
    private long reserved = NONE; // between (1) and (4)
    private long left = NONE; // between (5) and (7)

    HistoryRun(HistoryBlock block) {
        this.block = block;
    }

    /**
     * Returns the history that the segment has, or one that is begun anew in its run. Returns null if there is no run
     * that is large enough.
     */
    @Nullable HistoryWriter kept(Participant self) {
        if (self.incarnation() != incarnation) {
            incarnation = self.incarnation();
            reserved = NONE;
            left = NONE;
        }
        free(self);
        LocalMemory own = own(self);
        long run = own.getAcquire(self.historyWord());
        if (run == NONE) {
            return null;
        }
        // The run belongs to another user of the heap, or it is no run at all.
        if (!isAnnounced(self, run)) {
            own.setRelease(self.historyWord(), NONE);
            return null;
        }
        // (4) of this life, or of a former life that is not repaired yet.
        self.heap().commit(self.rank(), run);
        reserved = NONE;
        if (self.heap().runBytes(self.rank(), run) >= bytes()) {
            return HistoryWriter.isBegun(block, own, run)
                    ? HistoryWriter.goOn(block, own, run)
                    : HistoryWriter.begin(block, own, run, born());
        }
        leave(self, own, run);
        return null;
    }

    private static boolean isAnnounced(Participant self, long run) {
        try {
            return self.heap().isAnnounced(self.rank(), run, word(self), run);
        } catch (IllegalArgumentException elsewhere) {
            return false;
        }
    }

    private void leave(Participant self, LocalMemory own, long run) {
        left = run;
        self.heap().uncommit(self.rank(), run, word(self), run); // (5)
        own.setRelease(self.historyWord(), NONE); // (6)
        free(self);
    }

    /** (7) Does nothing to a run that the word still has. */
    private void free(Participant self) {
        if (left != NONE) {
            self.heap().withdraw(self.rank(), left, word(self), left);
            left = NONE;
        }
    }

    /**
     * Begins a history if there {@linkplain #kept is none}.
     *
     * @throws SegmentFullException if there is no room for it
     */
    HistoryWriter reserve(Participant self) {
        int rank = self.rank();
        Heap heap = self.heap();
        LocalMemory own = own(self);
        if (reserved == NONE) {
            reserved = heap.reserve(rank, bytes()); // (1)
        }
        HistoryWriter begun = HistoryWriter.begin(block, own, reserved, born());
        heap.announce(rank, reserved, word(self), reserved); // (2)
        own.setRelease(self.historyWord(), reserved); // (3)
        heap.settle(rank, reserved); // (4)
        reserved = NONE;
        return begun;
    }

    private long bytes() {
        return block.bytes() + Heap.ANNOUNCED_BYTES;
    }

    private static LocalMemory own(Participant self) {
        return self.endpoint().fabric().local();
    }

    private static GlobalPointer word(Participant self) {
        return new GlobalPointer(self.rank(), self.historyWord());
    }

    private static long born() {
        return ThreadLocalRandom.current().nextLong() | 1;
    }
}
