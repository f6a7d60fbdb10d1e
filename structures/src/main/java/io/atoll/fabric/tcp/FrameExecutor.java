package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * Executes the verbs of requests on the segment of this rank, by loads, stores and atomics of the CPU. It checks the
 * whole frame before it executes the first verb. So nothing of a malformed frame is executed. It skips the verbs of
 * exchanges that did not take place.
 */
final class FrameExecutor {

    private final LocalMemory segment;

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
        long verb = request + Frame.HEADER_BYTES;
        long result = answer + Frame.HEADER_BYTES;
        int status = 0;
        int atomics = 0;
        long exchanged = 0; // the exchanges that took place, each a bit
        boolean stored = false;
        for (int index = 0; index < verbs; index++) {
            int kind = in.get(JAVA_BYTE, verb + Frame.KIND);
            int length = in.get(JAVA_INT, verb + Frame.LENGTH);
            long offset = in.get(JAVA_LONG, verb + Frame.OFFSET);
            if (!isInside(offset, length)) {
                status = index + 1;
                break;
            }
            int resultBytes = Frame.resultBytes(kind, length);
            atomics += Frame.isAtomic(kind) ? 1 : 0;
            if (isSkipped(in, verb, exchanged)) {
                out.asSlice(result, resultBytes).fill((byte) 0);
            } else {
                stored = keepOrder(kind, stored);
                if (execute(kind, length, offset, in, verb + Frame.VERB_BYTES, out, result)) {
                    exchanged = Frame.withExchange(exchanged, atomics);
                }
            }
            verb += Frame.VERB_BYTES + Frame.operandBytes(kind, length);
            result += resultBytes;
        }
        if (stored) {
            segment.fullFence(); // a load of the next request must not overtake the store, either
        }
        return isAnswerWanted(in, request) ? answer(in, request, status, out, answer, result) : 0;
    }

    /** Keeps a load behind stores. Returns true if a store waits for a fence once this verb is executed. */
    private boolean keepOrder(int kind, boolean stored) {
        if (kind == Frame.READ && stored) {
            segment.fullFence(); // a load must not overtake a store of the same request
            return false;
        }
        return stored || kind == Frame.WRITE;
    }

    /** @param exchanged the exchanges of this frame that took place */
    private static boolean isSkipped(MemorySegment in, long verb, long exchanged) {
        return !Frame.isOneOf(exchanged, in.get(JAVA_BYTE, verb + Frame.GUARD));
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

    /** Returns true if the verb is an exchange that took place. */
    private boolean execute(int kind, int length, long offset, MemorySegment in, long operands, MemorySegment out,
            long result) {
        if (kind == Frame.READ) {
            segment.load(offset, out, result, length);
        } else if (kind == Frame.WRITE) {
            segment.store(offset, in, operands, length);
        } else {
            long found = update(kind, offset, in, operands);
            out.set(JAVA_LONG, result, found);
            return kind == Frame.COMPARE_AND_EXCHANGE && found == in.get(JAVA_LONG, operands);
        }
        return false;
    }

    private long update(int kind, long offset, MemorySegment in, long operands) {
        long operand = in.get(JAVA_LONG, operands);
        return switch (kind) {
            case Frame.COMPARE_AND_EXCHANGE ->
                segment.compareAndExchange(offset, operand, in.get(JAVA_LONG, operands + Long.BYTES));
            case Frame.GET_AND_ADD -> segment.getAndAdd(offset, operand);
            case Frame.GET_AND_BITWISE_OR -> segment.getAndBitwiseOr(offset, operand);
            default -> segment.getAndSet(offset, operand);
        };
    }

    private static void check(MemorySegment in, long request, int verbs) throws MalformedFrameException {
        long verb = request + Frame.HEADER_BYTES;
        long end = request + in.get(JAVA_INT, request + Frame.BYTES);
        long answerBytes = Frame.HEADER_BYTES;
        int atomics = 0;
        long exchanges = 0; // each a bit
        for (int index = 0; index < verbs; index++) {
            if (end - verb < Frame.VERB_BYTES) {
                throw malformed("a verb is cut off", index);
            }
            int kind = in.get(JAVA_BYTE, verb + Frame.KIND);
            int length = in.get(JAVA_INT, verb + Frame.LENGTH);
            int operands = Frame.operandBytes(kind, length);
            if (operands < 0 || !isLength(kind, length)) {
                throw malformed("there is no such verb", index);
            }
            if (!Frame.isOneOf(exchanges, in.get(JAVA_BYTE, verb + Frame.GUARD))) {
                throw malformed("its guard is no earlier exchange", index);
            }
            atomics += Frame.isAtomic(kind) ? 1 : 0;
            exchanges = kind == Frame.COMPARE_AND_EXCHANGE ? Frame.withExchange(exchanges, atomics) : exchanges;
            verb += Frame.VERB_BYTES + operands;
            answerBytes += Frame.resultBytes(kind, length);
            if (verb > end || answerBytes > Frame.MAXIMUM_BYTES) {
                throw malformed("verbs take more than a frame has", index);
            }
        }
        if (verb != end) {
            throw malformed("something stands behind the verbs", verbs);
        }
    }

    private static boolean isLength(int kind, int length) {
        return kind == Frame.READ || kind == Frame.WRITE
                ? length >= 0 && length <= Frame.MAXIMUM_LENGTH && length % Layouts.WORD == 0
                : length == Layouts.WORD;
    }

    private static MalformedFrameException malformed(String what, int index) {
        return new MalformedFrameException(what + ": verb=" + index);
    }
}
