package io.atoll.heap;

import io.atoll.memory.Layouts;
import io.atoll.memory.TaggedPointer;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * One of the sizes that objects are rounded up to, and how a slab of such objects lies in memory.
 * <pre>
 *       0             8 g              8 (g + n)
 *       +------//------+-------//-------+------//------+------------+------------+---//---+--------------+
 *       |     free     |     marks      |  padding to  |  object 0  |  object 1  |        | object n - 1 |
 *       |  (g words)   |   (n words)    | a cache line |            |            |        |              |
 *       +------//------+-------//-------+------//------+------------+------------+---//---+--------------+
 *
 *       free         bit i mod 64 of word i / 64: object i may be claimed by the slab's holder.
 *                    Set by whoever frees the object, cleared by the holder
 *       marks        word i: whether object i, while it is not free, is in the cache of the slab's holder or
 *                    handed out. Written by the holder
 * </pre>
 * If all words are zero, every object is in the holder's cache, as it should be in a new slab. The words outlive the
 * holder. So they still tell what it had not handed out.
 *
 * <p>The sizes are 64, 128, 192 and 256 bytes, and from there four to each doubling. So an object wastes less than 64
 * bytes or less than a fifth of its size.
 */
final class SizeClass {

    /** The number of objects whose bits share a word. */
    public static final int GROUP = Long.SIZE;

    /** The mark of an object in its holder's cache. */
    public static final long IN_CACHE = 0;

    /** The mark of an object that has left its holder's cache, and of every object of a slab without holder. */
    public static final long HANDED_OUT = 1;

    private static final long UNIT = TaggedPointer.UNIT;
    private static final long LARGEST_OBJECT_BYTES = 1 << 20;
    private static final int PARTS_OF_SLAB = 4; // an object takes at most this part of a slab
    private static final int STEPS = 4; // classes to a doubling

    private final int index;
    private final long objectBytes;
    private final double perObjectByte;
    private final int objects;
    private final long marks;
    private final long firstObject;

    SizeClass(int index, long slabBytes) {
        this.index = index;
        this.objectBytes = bytes(index);
        this.perObjectByte = 1.0 / objectBytes;
        this.objects = objectsWithin(slabBytes, objectBytes);
        StructLayout layout = header(objects);
        this.marks = Layouts.offsetOf(layout, "marks");
        this.firstObject = Layouts.roundUp(layout.byteSize(), Layouts.CACHE_LINE);
    }

    private static StructLayout header(int objects) {
        return MemoryLayout.structLayout(Layouts.words("free", Math.ceilDiv(objects, GROUP)),
                Layouts.words("marks", objects));
    }

    private static int objectsWithin(long slabBytes, long objectBytes) {
        int objects = (int) (slabBytes / (objectBytes + Layouts.WORD));
        while (Layouts.roundUp(header(objects).byteSize(), Layouts.CACHE_LINE) + objects * objectBytes > slabBytes) {
            objects--;
        }
        return objects;
    }

    /** Returns the classes of a heap with slabs of this size. */
    static SizeClass[] all(long slabBytes) {
        int count = indexFor(Math.min(slabBytes / PARTS_OF_SLAB, LARGEST_OBJECT_BYTES)) + 1;
        SizeClass[] classes = new SizeClass[count];
        for (int index = 0; index < count; index++) {
            classes[index] = new SizeClass(index, slabBytes);
        }
        return classes;
    }

    /** Returns the index of the smallest class with objects of at least {@code bytes} bytes. */
    public static int indexFor(long bytes) {
        long units = Math.ceilDiv(bytes, UNIT);
        if (units <= STEPS) {
            return (int) units - 1;
        }
        int doublings = Long.SIZE - 1 - Long.numberOfLeadingZeros(units - 1);
        long step = (1L << doublings) / STEPS;
        return STEPS * (doublings - 1) + (int) Math.ceilDiv(units - (1L << doublings), step) - 1;
    }

    private static long bytes(int index) {
        if (index < STEPS) {
            return (index + 1) * UNIT;
        }
        long doubled = 1L << index / STEPS + 1;
        return (doubled + (index % STEPS + 1) * doubled / STEPS) * UNIT;
    }

    public int index() {
        return index;
    }

    /** Returns the size of an object, a multiple of {@link TaggedPointer#UNIT}. */
    public long objectBytes() {
        return objectBytes;
    }

    /** Returns the number of objects of a slab. */
    public int objects() {
        return objects;
    }

    public int groups() {
        return Math.ceilDiv(objects, GROUP);
    }

    /** Returns the group of the object. */
    public static int group(int object) {
        return object / GROUP;
    }

    /** Returns the object's bit in the words of its group. */
    public static long bit(int object) {
        return 1L << object % GROUP;
    }

    /** Returns a word with a bit for each object of the group. */
    public long groupBits(int group) {
        int members = Math.min(objects - group * GROUP, GROUP);
        return -1L >>> GROUP - members;
    }

    /** Returns the bytes of the words before the objects. */
    public long headerBytes() {
        return marks + objects * Layouts.WORD;
    }

    /** Returns the offset of the group's word of free bits from the beginning of the slab. */
    public long freeOffset(int group) {
        return group * Layouts.WORD;
    }

    /** Returns the offset of the object's mark from the beginning of the slab. */
    public long markOffset(int object) {
        return marks + object * Layouts.WORD;
    }

    /** Returns the offset of the object from the beginning of the slab. */
    public long objectOffset(int object) {
        return firstObject + object * objectBytes;
    }

    /** Returns the object that begins {@code offset} bytes after the beginning of the slab, or -1 if none does. */
    public int objectAt(long offset) {
        long bytes = offset - firstObject;
        // The nearest number, by a multiplication, since a division takes several times as long. If an object begins
        // here, it is this one.
        int object = (int) (bytes * perObjectByte + 0.5);
        boolean begins = bytes >= 0 && object < objects && object * objectBytes == bytes;
        return begins ? object : -1;
    }
}
