package io.atoll.heap;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * Where the heap lies in a segment, the same in the segment of every rank.
 * <pre>
 *     base                     512             512 + 8 n
 *       +-----------//----------+-------//-------+-----//-----+----------+----------+---//---+----------+
 *       |   hints (64 words)    | table (a word  |  padding   |  slab 0  |  slab 1  |        | slab n-1 |
 *       |                       |   per slab)    |  to a page |          |          |        |          |
 *       +-----------//----------+-------//-------+-----//-----+----------+----------+---//---+----------+
 * </pre>
 * A hint is a word of {@link SearchHints}, a word of the table is a {@link SlabWord}. A heap of zeros is an empty heap.
 *
 * <p>Slabs have 4 to 64 KiB, so that a heap has thousands of them. They are larger where a heap would otherwise have
 * more than {@value #MAXIMUM_SLABS} slabs: the number must fit into the length of a run. The table takes at most 0.2 %
 * of the heap.
 */
public final class HeapArea {

    static final int HINTS = 64;

    /** The largest number of slabs of a heap: what the 16 bits of a run's length hold. */
    static final int MAXIMUM_SLABS = (1 << 16) - 1;

    private static final long PAGE_BYTES = 4 << 10;
    private static final long LARGEST_SLAB_OF_CHOICE = 64 << 10;
    private static final long SLABS_OF_CHOICE = 4 << 10;

    private final long base;
    private final long slabBytes;
    private final int slabs;
    private final long table;
    private final long firstSlab;
    private final SizeClass[] sizeClasses;

    /**
     * @param base offset of its first byte, a multiple of {@link Layouts#CACHE_LINE}
     * @param end offset of the byte after its last
     * @throws IllegalArgumentException if there is no room for a single slab
     */
    public HeapArea(long base, long end) {
        this(base, end, slabBytesFor(end - base));
    }

    /**
     * Like {@link #HeapArea(long, long)}, in slabs of another size.
     *
     * @param slabBytes a power of two
     */
    public HeapArea(long base, long end, long slabBytes) {
        if (base <= 0 || base % Layouts.CACHE_LINE != 0) {
            throw new IllegalArgumentException(
                    "a heap begins at a cache line after the segment's header: base=" + base);
        }
        int fitting = Math.clamp((end - base) / (slabBytes + Layouts.WORD), 0, MAXIMUM_SLABS);
        while (fitting > 0 && firstSlab(base, fitting, slabBytes) + fitting * slabBytes > end) {
            fitting--;
        }
        if (fitting == 0) {
            throw new IllegalArgumentException(
                    "a heap has room for its table and a slab of " + slabBytes + " bytes: base=" + base + " end="
                            + end);
        }
        this.base = base;
        this.slabBytes = slabBytes;
        this.slabs = fitting;
        this.table = base + Layouts.offsetOf(header(slabs), "table");
        this.firstSlab = firstSlab(base, slabs, slabBytes);
        this.sizeClasses = SizeClass.all(slabBytes);
    }

    private static StructLayout header(int slabs) {
        return MemoryLayout.structLayout(Layouts.words("hints", HINTS), Layouts.words("table", slabs));
    }

    private static long firstSlab(long base, int slabs, long slabBytes) {
        return Layouts.roundUp(base + header(slabs).byteSize(), Math.min(slabBytes, PAGE_BYTES));
    }

    private static long slabBytesFor(long bytes) {
        long slabBytes = Math.clamp(Long.highestOneBit(bytes / SLABS_OF_CHOICE), PAGE_BYTES, LARGEST_SLAB_OF_CHOICE);
        while (bytes / slabBytes > MAXIMUM_SLABS) {
            slabBytes *= 2;
        }
        return slabBytes;
    }

    /** Returns the bytes of a slab, a power of two: the unit of runs. */
    public long slabBytes() {
        return slabBytes;
    }

    /** Returns the number of slabs. */
    public int slabs() {
        return slabs;
    }

    /** Returns the bytes of the largest object that shares its slab with others. A larger one has a run of its own. */
    public long largestObjectBytes() {
        return sizeClasses[sizeClasses.length - 1].objectBytes();
    }

    public int sizeClasses() {
        return sizeClasses.length;
    }

    public SizeClass sizeClass(int index) {
        return sizeClasses[index];
    }

    long hintOffset(int kind) {
        return base + kind * Layouts.WORD;
    }

    public long wordOffset(int slab) {
        return table + slab * Layouts.WORD;
    }

    public long slabOffset(int slab) {
        return firstSlab + slab * slabBytes;
    }

    /** Returns the slab in which the offset lies. */
    public int slabAt(long offset) {
        if (offset < firstSlab || offset >= slabOffset(slabs)) {
            throw new IllegalArgumentException(
                    "no part of the heap: offset=" + offset + " from=" + firstSlab + " to=" + slabOffset(slabs));
        }
        return (int) ((offset - firstSlab) / slabBytes);
    }

    @Override
    public String toString() {
        return "HeapArea[base=" + base + ", slabs=" + slabs + ", slabBytes=" + slabBytes + ']';
    }
}
