package io.atoll.fabric;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.MemorySegment;

/**
 * The buffer of a batch, which may grow while it is used, and its words. Positions are multiples of 8, and buffers
 * begin at cache lines. So words are aligned, and their layout spares a check of that for each word.
 */
abstract class BufferedBatch implements Batch {

    private MemorySegment buffer;
    private MappedMemory words; // the words of the buffer
    private long bytes; // the size of the buffer

    /** @param words the words of the buffer */
    protected BufferedBatch(MemorySegment buffer, MappedMemory words) {
        this.buffer = buffer;
        this.words = words;
        this.bytes = buffer.byteSize();
    }

    /**
     * Uses another buffer from now on. No verb may be under way.
     *
     * @param itsWords the words of the other buffer
     */
    protected final void use(MemorySegment other, MappedMemory itsWords) {
        buffer = other;
        words = itsWords;
        bytes = other.byteSize();
    }

    /** Takes a larger buffer with the contents of the present one, if one is available. */
    protected abstract void grow();

    /** Ensures that the buffer has {@code end} bytes, if a buffer of that size is available. */
    protected final void reserve(long end) {
        if (end > bytes) {
            grow();
        }
    }

    /** Returns the buffer as it is. */
    protected final MemorySegment presentBuffer() {
        return buffer;
    }

    /** Returns the size of the present buffer. */
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
        return buffer.get(JAVA_LONG_UNALIGNED, position);
    }

    @Override
    public void setWord(long position, long value) {
        reserve(position + Layouts.WORD);
        buffer.set(JAVA_LONG_UNALIGNED, position, value);
    }
}
