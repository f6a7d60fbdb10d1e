package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.atoll.fabric.RecordRead;
import io.atoll.fabric.RecordSearch;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.Prefetch;
import java.lang.foreign.MemorySegment;

/**
 * Executes the verbs of requests on the segment of this rank, by loads, stores and atomics of the CPU. It checks the
 * whole frame before it executes the first verb. So nothing of a malformed frame is executed. It skips verbs whose
 * guard is an exchange that did not take place, or a search that found nothing. It moves a guarded verb to the record
 * that the search has found. For one thread at a time.
 */
final class FrameExecutor {

    private static final long READ_OF_A_WORD = Frame.head(Frame.READ, (byte) 0, 0, Long.BYTES);
    private static final int BEYOND = Frame.MOST_GUARDS + 1; // stands for all numbers that are too high for a guard

    private final LocalMemory segment;
    private final RecordSearch search = new RecordSearch();

    // By the numbers of the frame's atomics and searches. A verb without a guard has the guard 0, which moves nothing.
    private final int[] displacements = new int[BEYOND + 1];
    private final long[] found = new long[BEYOND + 1];
    private boolean stored; // true if a store waits for a fence

    FrameExecutor(LocalMemory segment) {
        this.segment = segment;
    }

    /**
     * Executes a request. Returns the number of bytes of the answer, or 0 if no answer is wanted.
     *
     * @param in the memory in which the request begins at {@code request}, and ends
     * @param out the memory in which the answer begins at {@code answer}, with room for the largest
     * @throws MalformedFrameException if no rank can have sent the request
     */
    int execute(MemorySegment in, long request, MemorySegment out, long answer) throws MalformedFrameException {
        int verbs = Short.toUnsignedInt(in.get(JAVA_SHORT, request + Frame.VERBS));
        check(in, request, verbs);
        if (verbs >= Prefetch.FEWEST) {
            prefetch(in, request, verbs);
        }
        long verb = request + Frame.HEADER_BYTES;
        long result = answer + Frame.HEADER_BYTES;
        int status = 0;
        int number = 0; // of the last atomic or search
        long succeeded = 0; // the guards whose verbs are executed, each a bit
        for (int index = 0; index < verbs; index++) {
            long head = in.get(JAVA_LONG, verb + Frame.HEAD);
            int kind = Frame.kind(head);
            int guard = Frame.guard(head);
            int length = Frame.length(head);
            long offset = in.get(JAVA_LONG, verb + Frame.OFFSET) + displacements[guard];
            if (!isInside(offset, length)) {
                status = index + 1;
                break;
            }
            if (Frame.isPlainRead(head)) { // most verbs of a long frame are, so they take the fewest steps
                completeStores();
                segment.load(offset, out, result, length);
                verb += Frame.VERB_BYTES;
                result += length;
                continue;
            }
            int resultBytes = Frame.resultBytes(kind, length, Frame.count(head));
            if (Frame.isPlain(head)) {
                completeStores();
                load(head, offset, out, result);
                verb += Frame.VERB_BYTES;
                result += resultBytes;
                continue;
            }
            if (Frame.isNumbered(kind)) {
                number = Math.min(number + 1, BEYOND);
                displacements[number] = displacements[guard];
            }
            boolean isSkipped = !Frame.isOneOf(succeeded, guard);
            if (isSkipped) {
                out.asSlice(result, resultBytes).fill((byte) 0);
            } else if (execute(head, offset, in, verb, out, result, number)) {
                succeeded = Frame.with(succeeded, number);
            }
            verb += Frame.requestBytes(head);
            result += resultBytes;
        }
        completeStores(); // a load of the next request must not overtake a store, either
        return isAnswerWanted(in, request) ? answer(in, request, status, out, answer, result) : 0;
    }

    /**
     * Loads the first word of each verb before the first verb is executed. So the processor waits for several cache
     * misses at the same time. It also loads the last word of a plain read if that lies in another cache line. A search
     * most often ends before its last word. The processor itself fetches the lines between. A verb that a guard moves
     * is taken to be at its first record.
     */
    private void prefetch(MemorySegment in, long request, int verbs) {
        long verb = request + Frame.HEADER_BYTES;
        long sum = 0;
        for (int index = 0; index < verbs; index++) {
            long head = in.get(JAVA_LONG, verb + Frame.HEAD);
            long offset = in.get(JAVA_LONG, verb + Frame.OFFSET);
            int length = Math.max(Frame.length(head), Long.BYTES); // a read of nothing may stand at the very end
            if (isInside(offset, length)) {
                sum += segment.get(offset);
                if (Frame.isPlain(head) && offset % Layouts.CACHE_LINE + length > Layouts.CACHE_LINE) {
                    sum += segment.get(offset + length - Long.BYTES);
                }
            }
            verb += Frame.isPlain(head) ? Frame.VERB_BYTES : Frame.requestBytes(head);
        }
        Prefetch.keep(sum);
        segment.acquireFence(); // the verbs load these words again
    }

    private void completeStores() {
        if (stored) {
            segment.fullFence();
            stored = false;
        }
    }

    private boolean isInside(long offset, int length) {
        return offset >= 0 && offset % Layouts.WORD == 0 && offset <= segment.size() - length;
    }

    private static boolean isAnswerWanted(MemorySegment in, long request) {
        return (in.get(JAVA_SHORT, request + Frame.FLAGS) & Frame.ANSWER_WANTED) != 0;
    }

    private static int answer(MemorySegment in, long request, int status, MemorySegment out, long answer, long end) {
        int bytes = (int) (end - answer);
        out.set(JAVA_INT, answer + Frame.BYTES, bytes);
        out.set(JAVA_SHORT, answer + Frame.STATUS, (short) status);
        out.set(JAVA_SHORT, answer + Frame.FLAGS, (short) 0);
        out.set(JAVA_LONG, answer + Frame.NUMBER, in.get(JAVA_LONG, request + Frame.NUMBER));
        return bytes;
    }

    /** Returns true if the verb can guard others, and they are to be executed. */
    private boolean execute(long head, long offset, MemorySegment in, long verb, MemorySegment out, long result,
            int number) {
        int kind = Frame.kind(head);
        if (Frame.isRead(kind)) {
            completeStores(); // a load must not overtake a store of the same request
        }
        if (Frame.bringsWords(kind)) {
            load(head, offset, out, result);
        } else if (Frame.isWrite(kind)) {
            int bytes = Frame.operandBytes(kind, Frame.length(head), 0);
            segment.store(offset + passed(head, bytes), in, verb + Frame.VERB_BYTES, bytes);
            stored = true;
        } else {
            return update(head, offset, in, verb, out, result, number);
        }
        return false;
    }

    /** Returns the bytes of the place that a write passes: the first of two, if the word found names that one. */
    private int passed(long head, int bytes) {
        boolean isPassed = Frame.kind(head) == Frame.WRITE_BESIDE
                && (found[Frame.guard(head)] >>> Frame.count(head) & 1) == 0;
        return isPassed ? bytes : 0;
    }

    private void load(long head, long offset, MemorySegment out, long result) {
        int length = Frame.length(head);
        if (Frame.kind(head) == Frame.READ) {
            segment.load(offset, out, result, length);
        } else {
            int count = Frame.count(head);
            RecordRead.load(segment, offset, length / count, count, out, result);
        }
    }

    /** Returns true if the verb is an exchange that took place, or a search that found a record. */
    private boolean update(long head, long offset, MemorySegment in, long verb, MemorySegment out, long result,
            int number) {
        int kind = Frame.kind(head);
        long operands = verb + Frame.VERB_BYTES;
        long first = in.get(JAVA_LONG, operands);
        if (kind == Frame.SEARCH) {
            search.run(segment, offset, Frame.length(head), first, in, operands + Long.BYTES, Frame.count(head));
            found[number] = search.word();
            displacements[number] += Math.max(search.displacement(), 0);
            out.set(JAVA_LONG, result, search.word());
            out.set(JAVA_LONG, result + Long.BYTES, search.displacement());
            return search.displacement() != RecordSearch.NOWHERE;
        }
        long expected = kind == Frame.EXCHANGE_FOUND ? found[Frame.guard(head)] : first;
        long former = switch (kind) {
            case Frame.COMPARE_AND_EXCHANGE ->
                segment.compareAndExchange(offset, expected, in.get(JAVA_LONG, operands + Long.BYTES));
            case Frame.EXCHANGE_FOUND ->
                segment.compareAndExchange(offset, expected,
                        (expected & first) + in.get(JAVA_LONG, operands + Long.BYTES));
            case Frame.GET_AND_ADD -> segment.getAndAdd(offset, first);
            case Frame.GET_AND_BITWISE_OR -> segment.getAndBitwiseOr(offset, first);
            default -> segment.getAndSet(offset, first);
        };
        found[number] = former;
        out.set(JAVA_LONG, result, former);
        return Frame.isGuard(kind) && former == expected;
    }

    private static void check(MemorySegment in, long request, int verbs) throws MalformedFrameException {
        long verb = request + Frame.HEADER_BYTES;
        long end = request + in.get(JAVA_INT, request + Frame.BYTES);
        long answerBytes = Frame.HEADER_BYTES;
        int number = 0; // of the last atomic or search
        long guards = 0; // each a bit
        long searches = 0; // each a bit
        long plain = READ_OF_A_WORD; // the head of the last plain verb: those that follow have most often the same
        for (int index = 0; index < verbs; index++) {
            if (end - verb < Frame.VERB_BYTES) {
                throw malformed("a verb is cut off", index);
            }
            long head = in.get(JAVA_LONG, verb + Frame.HEAD);
            int kind = Frame.kind(head);
            answerBytes += Frame.resultBytes(kind, Frame.length(head), Frame.count(head));
            verb = head == plain ? verb + Frame.VERB_BYTES : checkVerb(in, verb, end, index, guards, searches);
            plain = Frame.isPlain(head) ? head : plain;
            if (answerBytes > Frame.MAXIMUM_BYTES) {
                throw malformed("results take more than a frame has", index);
            }
            number += Frame.isNumbered(kind) ? 1 : 0;
            guards = Frame.isGuard(kind) ? Frame.with(guards, number) : guards;
            searches = kind == Frame.SEARCH ? Frame.with(searches, number) : searches;
        }
        if (verb != end) {
            throw malformed("something stands behind the verbs", verbs);
        }
    }

    /**
     * Returns the end of the verb.
     *
     * @param end of the frame
     * @param guards that the verb may have, each a bit
     */
    private static long checkVerb(MemorySegment in, long verb, long end, int index, long guards, long searches)
            throws MalformedFrameException {
        long head = in.get(JAVA_LONG, verb + Frame.HEAD);
        int kind = Frame.kind(head);
        int guard = Frame.guard(head);
        int count = Frame.count(head);
        int length = Frame.length(head);
        int operands = Frame.operandBytes(kind, length, count);
        if (operands < 0 || !isLength(kind, length, count)) {
            throw malformed("there is no such verb", index);
        }
        if (!Frame.isOneOf(guards, guard)) {
            throw malformed("its guard is no earlier exchange or search", index);
        }
        if (kind == Frame.EXCHANGE_FOUND && (guard == 0 || !Frame.isOneOf(searches, guard))) {
            throw malformed("its guard is no search", index);
        }
        if (kind == Frame.WRITE_BESIDE && guard == 0) {
            throw malformed("nothing guards it, so it lies beside nothing", index);
        }
        long behind = verb + Frame.VERB_BYTES + operands;
        if (behind > end) {
            throw malformed("verbs take more than a frame has", index);
        }
        if (kind == Frame.SEARCH && !isSearch(in, verb + Frame.VERB_BYTES, length, count)) {
            throw malformed("there is no such search", index);
        }
        return behind;
    }

    private static boolean isLength(int kind, int length, int count) {
        return switch (kind) {
            case Frame.READ, Frame.WRITE ->
                length >= 0 && length <= Frame.MAXIMUM_LENGTH && length % Layouts.WORD == 0;
            case Frame.WRITE_BESIDE ->
                length >= 0 && length <= Frame.MAXIMUM_LENGTH && length % (2 * Layouts.WORD) == 0
                        && count >= 0 && count < Long.SIZE;
            case Frame.READ_RECORDS -> count > 0 && length % count == 0 && RecordRead.isPossible(length / count, count);
            case Frame.SEARCH -> true; // its operands say if it is possible
            default -> length == Layouts.WORD;
        };
    }

    private static boolean isSearch(MemorySegment in, long stride, int length, int tests) {
        return RecordSearch.isPossible(length, in.get(JAVA_LONG, stride), in, stride + Long.BYTES, tests);
    }

    private static MalformedFrameException malformed(String what, int index) {
        return new MalformedFrameException(what + ": verb=" + index);
    }
}
