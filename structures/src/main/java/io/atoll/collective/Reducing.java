package io.atoll.collective;

import io.atoll.memory.Layouts;
import io.atoll.world.Barrier;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.LongBinaryOperator;
import java.util.stream.IntStream;

/**
 * One reduction, as a member takes part in it. Values are always combined in the order of positions. So all members
 * have the same result to the last bit.
 *
 * @param receives true if this member is to have the result
 */
record Reducing(Exchange.Part part, Barrier.Steps steps, LongBinaryOperator operator, boolean receives) {

    /** Chooses how data of a given size is combined, the same at every member. */
    interface Way {
        Reduction of(long bytes);
    }

    /** Returns the combined values. A member that does not receive gets arbitrary values. */
    long[] reduce(long[] values) throws InterruptedException {
        long[] results = new long[values.length];
        int most = (int) (stagingBuffers().roomBytes() / Layouts.WORD);
        for (int from = 0; from < values.length; from += most) {
            long[] piece = Arrays.copyOfRange(values, from, Math.min(values.length, from + most));
            reducePiece(piece);
            System.arraycopy(piece, 0, results, from, piece.length);
        }
        return results;
    }

    private StagingBuffers stagingBuffers() {
        return part.stagingBuffers();
    }

    private int members() {
        return part.team().size();
    }

    private void reducePiece(long[] piece) throws InterruptedException {
        long bytes = piece.length * Layouts.WORD;
        int room = steps.room();
        stagingBuffers().layDown(room, 0, MemorySegment.ofArray(piece), 0, bytes);
        steps.pass();
        if (part.way().of(bytes) == Reduction.SHARED) {
            reduceShare(room, piece);
        } else if (receives) {
            combine(room, piece, 0, piece.length);
        }
    }

    /** Combines this member's share of the elements for all members. */
    private void reduceShare(int room, long[] piece) throws InterruptedException {
        int share = Math.ceilDiv(piece.length, members());
        int first = Math.min(piece.length, part.own() * share);
        int count = Math.min(piece.length, first + share) - first;
        combine(room, piece, first, count);
        int next = steps.room();
        stagingBuffers().layDown(next, first * Layouts.WORD, MemorySegment.ofArray(piece), first * Layouts.WORD,
                count * Layouts.WORD);
        steps.pass();
        if (receives) {
            MemorySegment target = MemorySegment.ofArray(piece);
            steps.persist(
                    () -> stagingBuffers().collect(next, StagingBuffers.Part.shares(piece.length, share), target));
        }
    }

    /** Combines some elements of all members' buffers with the own ones. */
    private void combine(int room, long[] piece, int first, int count) {
        long[] all = new long[Math.multiplyExact(members(), count)];
        MemorySegment target = MemorySegment.ofArray(all);
        steps.persist(() -> stagingBuffers().collect(room,
                StagingBuffers.Part.same(first * Layouts.WORD, count * Layouts.WORD,
                        member -> member * count * Layouts.WORD),
                target));
        System.arraycopy(piece, first, all, part.own() * count, count);
        for (int at = 0; at < count; at++) {
            int element = at;
            piece[first + at] = IntStream.range(1, members())
                    .mapToLong(member -> all[member * count + element])
                    .reduce(all[element], operator);
        }
    }
}
