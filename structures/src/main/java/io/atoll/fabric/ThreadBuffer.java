package io.atoll.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a thread's own batch: a few bytes that the thread keeps, and in their stead a whole buffer once an operation needs more. A virtual thread, of which there may be a great many, gives
 * that back when the operation ends. A platform thread keeps it: its stack takes far more, and giving it back and forth takes half a microsecond. Both buffers come back to their pools when the
 * batch cannot be reached any more, as that of a thread which has ended.
 */
public final class ThreadBuffer {

    private static final Cleaner CLEANER = Cleaner.create();

    /** What goes back; knows nothing of the batch. */
    private static final class Lent implements Runnable {

        private final MemorySegment small = NativeBuffers.SMALL.take();
        private @Nullable MemorySegment whole;

        @Override
        public void run() {
            shrink();
            NativeBuffers.SMALL.giveBack(small);
        }

        private void shrink() {
            MemorySegment present = whole;
            if (present != null) {
                whole = null;
                NativeBuffers.WHOLE.giveBack(present);
            }
        }
    }

    private final Lent lent = new Lent();
    private final boolean keepsWhole;

    public ThreadBuffer(Thread owner) {
        this.keepsWhole = !owner.isVirtual();
    }

    /** @param user who is watched for being reachable */
    public void returnAfter(Object user) {
        CLEANER.register(user, lent);
    }

    public MemorySegment small() {
        return lent.small;
    }

    /** Returns a whole buffer that begins with what is in the small one. */
    public MemorySegment grow() {
        MemorySegment whole = NativeBuffers.WHOLE.take();
        lent.whole = whole;
        return whole.copyFrom(lent.small);
    }

    /** Gives the whole buffer back. False if the thread keeps it. */
    public boolean shrinks() {
        if (!keepsWhole) {
            lent.shrink();
        }
        return !keepsWhole;
    }
}
