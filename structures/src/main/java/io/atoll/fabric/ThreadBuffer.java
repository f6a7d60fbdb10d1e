package io.atoll.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a thread's own batch. It is a small buffer that the thread keeps, and in its stead a whole buffer once
 * an operation needs more. A virtual thread gives the whole buffer back when the operation ends: there may be a great
 * many such threads. A platform thread keeps it: its stack takes far more, and giving the buffer back and forth takes
 * half a microsecond. Both buffers return to their pools when the batch is unreachable, as after the end of its thread.
 */
public final class ThreadBuffer {

    private static final Cleaner CLEANER = Cleaner.create();

    /** The buffers that go back to the pools. It must not know the batch, or the batch would stay reachable. */
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

    /** @param user the object that uses the buffers; they go back once it is unreachable */
    public void returnAfter(Object user) {
        CLEANER.register(user, lent);
    }

    public MemorySegment small() {
        return lent.small;
    }

    /** Returns a whole buffer that begins with the contents of the small one. */
    public MemorySegment grow() {
        MemorySegment whole = NativeBuffers.WHOLE.take();
        lent.whole = whole;
        return whole.copyFrom(lent.small);
    }

    /** Gives the whole buffer back. Returns false if the thread keeps it. */
    public boolean shrinks() {
        if (!keepsWhole) {
            lent.shrink();
        }
        return !keepsWhole;
    }
}
