package io.atoll.fabric;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.MemorySegment;

/** The buffer of a batch, which may grow while it is used, and its words. */
public abstract class BufferedBatch implements Batch {

    private MemorySegment buffer;
    private MappedMemory words; // of the buffer
    private long bytes; // of the buffer

    /** @param words of the buffer */
    protected BufferedBatch(MemorySegment buffer, MappedMemory words) {
        this.buffer = buffer;
        this.words = words;
        this.bytes = buffer.byteSize();
    }

    /**
     * Uses another buffer from now on. Nothing may be under way.
     *
     * @param itsWords of the other one
     */
    protected final void use(MemorySegment other, MappedMemory itsWords) {
        buffer = other;
        words = itsWords;
        bytes = other.byteSize();
    }

    /** Takes a larger buffer, with what lies in the present one, if it can have one. */
    protected abstract void grow();

    /** Sees to it that the buffer has so many bytes, if it can have. */
    protected final void reserve(long end) {
        if (end > bytes) {
            grow();
        }
    }

    /** Returns the buffer as it is. */
    protected final MemorySegment presentBuffer() {
        return buffer;
    }

    /** Returns how much the present buffer has. */
    public final long bufferBytes() {
        return bytes;
    }

    @Override
    public final MemorySegment buffer() {
        return buffer(THREAD_BUFFER_BYTES);
    }

    @Override
    public final MemorySegment buffer(long end) {
        reserve(end);
        return buffer;
    }

    @Override
    public final LocalMemory memory() {
        return memory(THREAD_BUFFER_BYTES);
    }

    @Override
    public final LocalMemory memory(long end) {
        reserve(end);
        return words;
    }

    @Override
    public final long word(long position) {
        return buffer.get(JAVA_LONG, position);
    }

    @Override
    public void setWord(long position, long value) {
        reserve(position + Layouts.WORD);
        buffer.set(JAVA_LONG, position, value);
    }
}
