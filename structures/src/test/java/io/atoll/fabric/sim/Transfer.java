package io.atoll.fabric.sim;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A read or write. It moves in pieces, in any order. The pieces are the aligned blocks that arrive whole, as the fabric
 * promises. A long transfer moves several pieces in a step, so that its steps stay few.
 */
final class Transfer extends Posted {

    private static final int FEW = 8;

    private final boolean isRead;
    private final MemorySegment here;
    private final long position;
    private final long bytes;
    private final long pieceBytes;
    private final int[] pieces; // the pieces that have not moved come first
    private int left;
    private Object lastStep = "nothing";
    private @Nullable Object unordered;
    private boolean passedByReads;

    Transfer(boolean isRead, int target, SimSegment segment, long offset, MemorySegment here, long position,
            long bytes, long pieceBytes) {
        super(target, segment, offset);
        this.isRead = isRead;
        this.here = here;
        this.position = position;
        this.bytes = bytes;
        this.pieceBytes = pieceBytes;
        this.left = bytes == 0 ? 0 : (int) ((offset + bytes - 1) / pieceBytes - offset / pieceBytes) + 1;
        this.pieces = left <= 1 ? new int[left] : upTo(left);
    }

    private static int[] upTo(int count) {
        int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = i;
        }
        return numbers;
    }

    @Override
    boolean advance(SplittableRandom random) {
        int count = left <= FEW ? Math.min(left, 1) : 1 + random.nextInt(left / 4);
        for (int i = 0; i < count; i++) {
            movePiece(draw(random));
        }
        return left == 0;
    }

    private int draw(SplittableRandom random) {
        int at = left == 1 ? 0 : random.nextInt(left);
        int piece = pieces[at];
        pieces[at] = pieces[--left];
        return piece;
    }

    private void movePiece(int piece) {
        long block = offset / pieceBytes + piece;
        long from = Math.max(offset, block * pieceBytes);
        long to = Math.min(offset + bytes, (block + 1) * pieceBytes);
        long at = position + (from - offset);
        if (isRead) {
            segment.copyTo(from, here, at, to - from);
        } else {
            segment.copyFrom(from, here, at, to - from);
        }
        lastStep = new Step(isRead, target, from, to - from, segment.get(from), left);
    }

    private record Step(boolean isRead, int target, long offset, long bytes, long word, int left) {
        @Override
        public String toString() {
            return (isRead ? "read " : "write ") + target + "+" + offset + ": " + word
                    + (bytes > Long.BYTES ? "... (" + bytes + " bytes)" : "")
                    + (left == 0 ? "" : ", pieces to come: " + left);
        }
    }

    @Override
    Object lastStep() {
        return lastStep;
    }

    boolean isWrite() {
        return !isRead;
    }

    @Override
    Transfer forLater() {
        MemorySegment copy = MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(bytes, Long.BYTES))]);
        if (!isRead) {
            MemorySegment.copy(here, position, copy, 0, bytes);
        }
        return new Transfer(isRead, target, segment, offset, copy, 0, bytes, pieceBytes);
    }

    @Override
    boolean hasBegun() {
        return left < pieces.length;
    }

    /**
     * Lets this transfer overtake others of the same group, and be overtaken: reads, or writes of other words. Null
     * keeps it in its place.
     */
    Transfer unorderedAmong(@Nullable Object group) {
        unordered = group;
        return this;
    }

    /** Lets later reads of other words overtake this write. */
    Transfer passedByReads() {
        passedByReads = true;
        return this;
    }

    boolean covers(SimSegment other, long wordOffset) {
        return segment == other && offset <= wordOffset && wordOffset < offset + bytes;
    }

    private boolean overlaps(Transfer other) {
        return segment == other.segment && offset < other.offset + other.bytes && other.offset < offset + bytes;
    }

    /** Returns the word that this transfer writes there. */
    long written(long wordOffset) {
        return here.get(JAVA_LONG, position + (wordOffset - offset));
    }

    @Override
    boolean mayBeOvertakenBy(Posted next) {
        if (!(next instanceof Transfer other) || isRead && !other.isRead) {
            return false;
        }
        boolean alike = unordered != null && unordered == other.unordered;
        return isRead ? alike : (other.isRead ? passedByReads : alike) && !overlaps(other);
    }

    @Override
    public String toString() {
        return (isRead ? "read " : "write ") + target + "+" + offset + " (" + bytes + " bytes)";
    }
}
