package io.atoll.heap;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;

/** The words of a slab of objects, and the operations on them. {@link SizeClass} has their picture. */
final class ObjectSlab {

    private static final MemorySegment HANDED_OUT = handedOut(4096);

    private final SlabTable table;
    private final Endpoint endpoint;
    private final int target;
    private final int slab;
    private final SizeClass sizeClass;
    private final long offset;

    private ObjectSlab(SlabTable table, int target, int slab, SizeClass sizeClass) {
        this.table = table;
        this.endpoint = table.endpoint();
        this.target = target;
        this.slab = slab;
        this.sizeClass = sizeClass;
        this.offset = table.area().slabOffset(slab);
    }

    /** Returns the slab of objects whose word in the table was read as {@code word}. */
    public static ObjectSlab of(SlabTable table, int target, int slab, long word) {
        return new ObjectSlab(table, target, slab, table.area().sizeClass(SlabWord.sizeClass(word)));
    }

    private static MemorySegment handedOut(int objects) {
        long[] words = new long[objects];
        Arrays.fill(words, SizeClass.HANDED_OUT);
        return MemorySegment.ofArray(words);
    }

    public SizeClass sizeClass() {
        return sizeClass;
    }

    /** Returns the offset of the object in the target's segment. */
    long objectOffset(int object) {
        return offset + sizeClass.objectOffset(object);
    }

    /** Returns the object that begins at this offset in the target's segment. */
    public int objectAt(long objectOffset) {
        int object = sizeClass.objectAt(objectOffset - offset);
        if (object < 0) {
            throw new IllegalArgumentException("no object begins here: rank=" + target + " offset=" + objectOffset);
        }
        return object;
    }

    /** Returns the offset, in the target's segment, of the group's word, which has a bit for each free object. */
    long freeOffset(int group) {
        return offset + sizeClass.freeOffset(group);
    }

    // --- what any rank may do ---

    /** Returns for each group the bits of the objects that are free. Cost: R. */
    public long[] free() {
        return words(sizeClass.groups());
    }

    /**
     * Returns for each group the bits of the objects that are not free and have this mark: handed out, or in the cache
     * of the holder. Cost: R.
     */
    public long[] marked(long mark) {
        int groups = sizeClass.groups();
        long[] header = words((int) (sizeClass.headerBytes() / Layouts.WORD));
        long[] marked = new long[groups];
        for (int object = 0; object < sizeClass.objects(); object++) {
            marked[SizeClass.group(object)] |= header[groups + object] == mark ? SizeClass.bit(object) : 0;
        }
        for (int group = 0; group < groups; group++) {
            marked[group] &= ~header[group];
        }
        return marked;
    }

    private long[] words(int count) {
        long[] words = new long[count];
        endpoint.read(target, offset, MemorySegment.ofArray(words), 0, count * Layouts.WORD);
        return words;
    }

    /** Throws if an object that is to be freed is in the cache of the slab's holder. Cost: R. */
    public void refuseUnlessHandedOut(int object) {
        if (endpoint.readWord(target, offset + sizeClass.markOffset(object)) != SizeClass.HANDED_OUT) {
            throw new IllegalArgumentException("not handed out: rank=" + target + " offset=" + objectOffset(object));
        }
    }

    /**
     * Sets objects of one group free. Cost: A, or R + A where the fabric has no fetch-or. 1 to 3 A more if none of the
     * group was free.
     *
     * @throws IllegalArgumentException if one of them was free already, which changed nothing; the others are free now
     */
    public void setFree(int group, long objects) {
        long before = endpoint.getAndBitwiseOr(target, freeOffset(group), objects);
        if (before == 0) {
            try {
                makeRoom();
            } catch (VirtualMachineError | LinkageError unfound) {
                Aftermath.warn("room in a heap is found when there seems to be no other", unfound);
            }
        }
        refuse(group, before & objects);
    }

    /** Throws if objects of the group that were to be freed are free already. */
    void refuse(int group, long freeAlready) {
        if (freeAlready != 0) {
            int object = group * SizeClass.GROUP + Long.numberOfTrailingZeros(freeAlready);
            throw new IllegalArgumentException("free already: rank=" + target + " offset=" + objectOffset(object));
        }
    }

    /** Lets the slab be found again if it was given up as full. Cost: A, and 1 or 2 A more if it was. */
    void makeRoom() {
        // (1) after the objects are free: a rank that gives the slab up looks for free objects after it is full (2). So
        // one of the two sees the other.
        long full = SlabWord.full(sizeClass.index());
        if (table.compareAndExchange(target, slab, full, SlabWord.room(sizeClass.index())) == full) {
            table.hints().announce(target, SearchHints.objectsOf(sizeClass.index()), slab);
        }
    }

    /** Lets the slab be found again if one of its objects is free. Cost: R, and 1 to 3 A if one is. */
    void makeRoomIfAnyIsFree() {
        makeRoomIfAny(free());
    }

    /** As the other one, if the words that say which objects are free were read. */
    void makeRoomIfAny(long[] free) {
        if (Arrays.stream(free).anyMatch(group -> group != 0)) {
            makeRoom();
        }
    }

    /** Returns true if all objects are free. Cost: R. */
    boolean isEmpty() {
        long[] free = free();
        return IntStream.range(0, free.length).allMatch(group -> free[group] == sizeClass.groupBits(group));
    }

    // --- what its holder alone may do ---

    /** Takes free objects of one group into the cache. Cost: W + A. */
    void claim(int group, long objects) {
        int first = Long.numberOfTrailingZeros(objects);
        long[] marks = new long[SizeClass.GROUP - Long.numberOfLeadingZeros(objects) - first];
        for (int at = 0; at < marks.length; at++) {
            marks[at] = mark(objects >>> first + at);
        }
        // (3) before they cease to be free: no object of the cache ever looks as if it were handed out, see (4).
        endpoint.write(target, offset + sizeClass.markOffset(group * SizeClass.GROUP + first),
                MemorySegment.ofArray(marks), 0, marks.length * Layouts.WORD);
        // Other ranks only set bits. So these bits are still set, and the subtraction clears them and nothing else.
        endpoint.getAndAdd(target, freeOffset(group), -objects);
    }

    /** Undoes a {@link #claim}. Cost: A (R + A where the fabric has no fetch-or). */
    void unclaim(int group, long objects) {
        endpoint.getAndBitwiseOr(target, freeOffset(group), objects);
    }

    /** As {@link #claim}, by a batch whose buffer has a word for each object of a group from this position on. */
    void addClaim(Batch batch, int group, long objects, long position) {
        int first = Long.numberOfTrailingZeros(objects);
        int marks = SizeClass.GROUP - Long.numberOfLeadingZeros(objects) - first;
        for (int at = 0; at < marks; at++) {
            batch.setWord(position + at * Layouts.WORD, mark(objects >>> first + at));
        }
        // In this order because of (3).
        batch.write(target, offset + sizeClass.markOffset(group * SizeClass.GROUP + first), position,
                marks * Layouts.WORD);
        batch.getAndAdd(target, freeOffset(group), -objects);
    }

    private static long mark(long objects) {
        return (objects & 1) == 0 ? SizeClass.HANDED_OUT : SizeClass.IN_CACHE;
    }

    int slab() {
        return slab;
    }

    /** Returns the bytes of the words that say which objects are free, one for each group. */
    long freeBytes() {
        return sizeClass.groups() * Layouts.WORD;
    }

    /** Adds a read of these words. */
    void addReadOfFree(Batch batch, long position) {
        batch.read(target, offset, position, freeBytes());
    }

    /** Adds the exchange that takes over a slab that has room. Returns its index. */
    int addAdoption(Batch batch, long held) {
        return batch.compareAndExchange(target, table.area().wordOffset(slab), SlabWord.room(sizeClass.index()), held);
    }

    /** Returns the words that a batch has read. */
    long[] free(Batch batch, long position) {
        long[] free = new long[sizeClass.groups()];
        Arrays.setAll(free, group -> batch.word(position + group * Layouts.WORD));
        return free;
    }

    /** Marks the object as handed out. Cost: W. */
    void markHandedOut(int object) {
        endpoint.writeWord(target, offset + sizeClass.markOffset(object), SizeClass.HANDED_OUT);
    }

    /** Marks objects of one group as handed out that lie side by side. Cost: W. */
    void markHandedOut(int first, int count) {
        endpoint.write(target, offset + sizeClass.markOffset(first), HANDED_OUT, 0, count * Layouts.WORD);
    }

    /**
     * Ends the holding of a slab with nothing in its cache. It becomes a free run if all its objects are free.
     * Otherwise it waits for a rank that needs objects of its class. Cost: 2 R + W + A and a flush; 1 to 3 A more if it
     * has free objects.
     *
     * @param held its word in the table
     */
    void release(long held) {
        // A thread may still be about to mark the object that it took. From here on no mark may be missing: it would
        // look as if the next holder had the object in its cache.
        for (long at = 0; at < sizeClass.objects() * Layouts.WORD; at += HANDED_OUT.byteSize()) {
            endpoint.write(target, offset + sizeClass.markOffset(0) + at, HANDED_OUT, 0,
                    Math.min(HANDED_OUT.byteSize(), sizeClass.objects() * Layouts.WORD - at));
        }
        if (isEmpty()) {
            table.replace(target, slab, held, SlabWord.free(1));
            table.hints().announce(target, SearchHints.RUNS, slab);
            return;
        }
        table.replace(target, slab, held, SlabWord.full(sizeClass.index()));
        endpoint.flush(target);
        // (2) after the slab is full: see (1). The flush keeps a load of the own memory from overtaking the exchange.
        makeRoomIfAnyIsFree();
    }

    /**
     * As {@link #release}, by a batch, of a slab in which a read found no free object. Then the batch reads again what
     * is free. Returns the index of the exchange.
     *
     * @param marks position in the buffer of as many marks as {@code bytes} says, each of an object that is handed out
     * @param free position of what is read
     */
    int addRelease(Batch batch, long held, long marks, long bytes, long free) {
        for (long at = 0; at < sizeClass.objects() * Layouts.WORD; at += bytes) {
            batch.write(target, offset + sizeClass.markOffset(0) + at, marks,
                    Math.min(bytes, sizeClass.objects() * Layouts.WORD - at));
        }
        int exchange = batch.compareAndExchange(target, table.area().wordOffset(slab), held,
                SlabWord.full(sizeClass.index()));
        addReadOfFree(batch, free); // (2) in this order, as in release
        return exchange;
    }

    /** Adds what makes a reused slab a new one, in which every object is in the cache. */
    void addZeros(Batch batch, long zeros, long bytes) {
        for (long at = 0; at < sizeClass.headerBytes(); at += bytes) {
            batch.write(target, offset + at, zeros, Math.min(bytes, sizeClass.headerBytes() - at));
        }
    }
}
