package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.atoll.fabric.RecordSearch;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.Prefetch;
import java.lang.foreign.MemorySegment;

/**
 * Executes the verbs of requests on the segment of this rank, by loads, stores and atomics of the CPU. It checks the
 * whole frame before it executes the first verb. So nothing of a malformed frame is executed. It skips the verbs of
 * exchanges that did not take place, and of searches that found nothing. It moves the verbs of those that did. For one
 * thread at a time.
 */
final class FrameExecutor {

    private static final int BEYOND = Frame.MOST_GUARDS + 1; // the number of what comes too late to be a guard

    private final LocalMemory segment;
    private final RecordSearch search = new RecordSearch();

    // By the numbers of the frame's atomics and searches. What has no guard has the guard 0, and does not move.
    private final int[] displacements = new int[BEYOND + 1];
    private final long[] found = new long[BEYOND + 1]; // by searches
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
            if (Frame.isNumbered(kind)) {
                number = Math.min(number + 1, BEYOND);
                displacements[number] = displacements[guard];
            }
            boolean isSkipped = !Frame.isOneOf(succeeded, guard);
            int resultBytes = Frame.resultBytes(kind, length);
            if (isSkipped) {
                out.asSlice(result, resultBytes).fill((byte) 0);
            } else if (execute(kind, length, offset, in, verb, out, result, number)) {
                succeeded = Frame.with(succeeded, number);
            }
            verb += Frame.VERB_BYTES + Frame.operandBytes(kind, length, Frame.tests(head));
            result += resultBytes;
        }
        completeStores(); // a load of the next request must not overtake a store, either
        return isAnswerWanted(in, request) ? answer(in, request, status, out, answer, result) : 0;
    }

    /** Loads a word of each verb, before the first one is executed. A verb that moves has its first record loaded. */
    private void prefetch(MemorySegment in, long request, int verbs) {
        long verb = request + Frame.HEADER_BYTES;
        long sum = 0;
        for (int index = 0; index < verbs; index++) {
            long head = in.get(JAVA_LONG, verb + Frame.HEAD);
            long offset = in.get(JAVA_LONG, verb + Frame.OFFSET);
            if (isInside(offset, Long.BYTES)) {
                sum += segment.get(offset);
            }
            verb += Frame.VERB_BYTES;
            if (!Frame.isPlainRead(head)) {
                verb += Frame.operandBytes(Frame.kind(head), Frame.length(head), Frame.tests(head));
            }
        }
        Prefetch.keep(sum);
        segment.acquireFence(); // verbs load anew
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
    private boolean execute(int kind, int length, long offset, MemorySegment in, long verb, MemorySegment out,
            long result, int number) {
        if (Frame.isRead(kind)) {
            completeStores(); // a load must not overtake a store of the same request
        }
        if (kind == Frame.READ) {
            segment.load(offset, out, result, length);
        } else if (kind == Frame.WRITE) {
            segment.store(offset, in, verb + Frame.VERB_BYTES, length);
            stored = true;
        } else {
            return update(kind, length, offset, in, verb, out, result, number);
        }
        return false;
    }

    /** Returns true if the verb is an exchange that took place, or a search that found a record. */
    private boolean update(int kind, int length, long offset, MemorySegment in, long verb, MemorySegment out,
            long result, int number) {
        long operands = verb + Frame.VERB_BYTES;
        long first = in.get(JAVA_LONG, operands);
        if (kind == Frame.SEARCH) {
            search.run(segment, offset, length, first, in, operands + Long.BYTES,
                    in.get(JAVA_BYTE, verb + Frame.TESTS));
            found[number] = search.word();
            displacements[number] += Math.max(search.displacement(), 0);
            out.set(JAVA_LONG, result, search.word());
            out.set(JAVA_LONG, result + Long.BYTES, search.displacement());
            return search.displacement() != RecordSearch.NOWHERE;
        }
        long expected = kind == Frame.EXCHANGE_FOUND ? found[in.get(JAVA_BYTE, verb + Frame.GUARD)] : first;
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
        for (int index = 0; index < verbs; index++) {
            if (end - verb < Frame.VERB_BYTES) {
                throw malformed("a verb is cut off", index);
            }
            long head = in.get(JAVA_LONG, verb + Frame.HEAD);
            int kind = Frame.kind(head);
            answerBytes += Frame.resultBytes(kind, Frame.length(head));
            verb = Frame.isPlainRead(head) && isLength(Frame.READ, Frame.length(head))
                    ? verb + Frame.VERB_BYTES
                    : checkVerb(in, verb, end, index, guards, searches);
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
        int tests = Frame.tests(head);
        int length = Frame.length(head);
        int operands = Frame.operandBytes(kind, length, tests);
        if (operands < 0 || !isLength(kind, length)) {
            throw malformed("there is no such verb", index);
        }
        if (!Frame.isOneOf(guards, guard)) {
            throw malformed("its guard is no earlier exchange or search", index);
        }
        if (kind == Frame.EXCHANGE_FOUND && (guard == 0 || !Frame.isOneOf(searches, guard))) {
            throw malformed("its guard is no search", index);
        }
        long behind = verb + Frame.VERB_BYTES + operands;
        if (behind > end) {
            throw malformed("verbs take more than a frame has", index);
        }
        if (kind == Frame.SEARCH && !isSearch(in, verb + Frame.VERB_BYTES, length, tests)) {
            throw malformed("there is no such search", index);
        }
        return behind;
    }

    private static boolean isLength(int kind, int length) {
        return switch (kind) {
            case Frame.READ, Frame.WRITE ->
                length >= 0 && length <= Frame.MAXIMUM_LENGTH && length % Layouts.WORD == 0;
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
