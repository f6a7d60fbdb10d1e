package io.atoll.fabric.tcp;

import io.atoll.fabric.Batch;
import io.atoll.fabric.WordTest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The behaviour that is expected of an owner for the bytes that follow a handshake. It says which requests the owner
 * answers and how, and whether the owner ends the connection. It follows only from the description of {@link Frame}, so
 * that it finds faults of the code that executes requests.
 */
final class ExpectedAnswers {

    /**
     * An answer to a request.
     *
     * @param status 0, or the number of the verb that was outside of the segment, counted from 1
     */
    record Answer(int bytes, int status, long number) {}

    /**
     * A verb that may guard others.
     *
     * @param reach the most bytes by which they move
     */
    private record Guard(boolean isSearch, long reach) {}

    /** Says that no rank sends these bytes. */
    private static final class Malformed extends Exception {

        private static final long serialVersionUID = 1L;
    }

    private static final int NO_KIND = Frame.LAST_KIND + 1;

    private final long segmentBytes;
    private final List<Set<Answer>> answers = new ArrayList<>();
    private long lastNumber;
    private boolean isMalformed;
    private boolean isCutOff;

    /** @param segmentBytes the size of the owner's segment */
    ExpectedAnswers(long segmentBytes) {
        this.segmentBytes = segmentBytes;
    }

    /**
     * Returns the possible answers to each request. There are several if it depends on what a search finds whether a
     * verb moves out of the segment.
     */
    List<Set<Answer>> answers() {
        return answers;
    }

    /** Returns the number of the last request. */
    long lastNumber() {
        return lastNumber;
    }

    /** Returns true if the owner must end the connection. It then does not have to answer earlier requests. */
    boolean isMalformed() {
        return isMalformed;
    }

    /** Returns true if another request may follow. */
    boolean goesOn() {
        return !isMalformed && !isCutOff;
    }

    /** Adds more bytes. After the bytes so far, the connection must {@linkplain #goesOn go on}. */
    void add(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        try {
            while (in.remaining() >= Frame.HEADER_BYTES && !isCutOff) {
                int length = in.getInt(in.position());
                refuseIf(length < Frame.HEADER_BYTES || length > Frame.MAXIMUM_BYTES || length % Long.BYTES != 0);
                if (length > in.remaining()) {
                    isCutOff = true;
                } else {
                    addRequest(in.slice(in.position(), length).order(ByteOrder.LITTLE_ENDIAN));
                    in.position(in.position() + length);
                }
            }
            isCutOff |= in.hasRemaining();
        } catch (Malformed end) {
            isMalformed = true;
        }
    }

    private static void refuseIf(boolean condition) throws Malformed {
        if (condition) {
            throw new Malformed();
        }
    }

    private void addRequest(ByteBuffer request) throws Malformed {
        long number = request.getLong((int) Frame.NUMBER);
        refuseIf(number != lastNumber + 1);
        int at = Frame.HEADER_BYTES;
        int answerBytes = Frame.HEADER_BYTES; // of all verbs
        int doneBytes = Frame.HEADER_BYTES; // of the verbs that are executed
        int verbs = Short.toUnsignedInt(request.getShort((int) Frame.VERBS));
        int numbered = 0;
        Map<Integer, Guard> guards = new HashMap<>(Map.of(0, new Guard(false, 0))); // that the next verb may have
        Set<Answer> possible = new HashSet<>();
        boolean goesOn = true;
        for (int verb = 1; verb <= verbs; verb++) {
            refuseIf(request.limit() - at < Frame.VERB_BYTES);
            byte kind = request.get(at + (int) Frame.KIND);
            byte count = request.get(at + (int) Frame.COUNT);
            int length = request.getInt(at + (int) Frame.LENGTH);
            long offset = request.getLong(at + (int) Frame.OFFSET);
            refuseIf(kind < Frame.READ || kind >= NO_KIND || !isLength(kind, length, count));
            refuseIf(kind == Frame.SEARCH && count < 0);
            Guard guard = guards.get((int) request.get(at + (int) Frame.GUARD));
            refuseIf(guard == null || kind == Frame.EXCHANGE_FOUND && !guard.isSearch());
            refuseIf(kind == Frame.WRITE_BESIDE && request.get(at + (int) Frame.GUARD) == 0);
            int operands = at + Frame.VERB_BYTES;
            at = operands + operandBytes(kind, length, count);
            int resultBytes = resultBytes(kind, length, count);
            answerBytes += resultBytes;
            refuseIf(at > request.limit() || answerBytes > Frame.MAXIMUM_BYTES);
            long stride = kind == Frame.SEARCH ? request.getLong(operands) : length;
            refuseIf(kind == Frame.SEARCH && !isSearch(request, operands, length, stride, count));
            boolean moves = kind == Frame.READ || kind == Frame.READ_RECORDS || kind == Frame.WRITE
                    || kind == Frame.WRITE_BESIDE;
            numbered += moves ? 0 : 1;
            if (numbered <= Frame.MOST_GUARDS && isGuard(kind)) {
                guards.put(numbered, new Guard(kind == Frame.SEARCH, guard.reach() + length - stride));
            }
            if (goesOn && mayBeOutside(offset, length, guard.reach())) {
                possible.add(new Answer(doneBytes, verb, number));
            }
            goesOn &= mayBeInside(offset, length, guard.reach());
            doneBytes += resultBytes;
        }
        refuseIf(at != request.limit());
        lastNumber = number;
        if (goesOn) {
            possible.add(new Answer(doneBytes, 0, number));
        }
        if ((request.getShort((int) Frame.FLAGS) & Frame.ANSWER_WANTED) != 0) {
            answers.add(possible);
        }
    }

    private boolean mayBeOutside(long offset, int length, long reach) {
        return !isInside(offset, length) || !isInside(offset + reach, length);
    }

    /** A verb moves by a multiple of a word, to any place within its reach. */
    private boolean mayBeInside(long offset, int length, long reach) {
        return offset % Long.BYTES == 0 && offset <= segmentBytes - length && offset + reach >= 0;
    }

    private boolean isInside(long offset, int length) {
        return offset >= 0 && offset % Long.BYTES == 0 && offset <= segmentBytes - length;
    }

    private static boolean isGuard(byte kind) {
        return kind == Frame.COMPARE_AND_EXCHANGE || kind == Frame.SEARCH || kind == Frame.EXCHANGE_FOUND;
    }

    private static boolean isLength(byte kind, int length, int count) {
        return switch (kind) {
            case Frame.READ_RECORDS ->
                count >= 1 && count <= Batch.RECORDS && length > 0 && length % (count * Long.BYTES) == 0
                        && length <= Batch.RECORDS_BYTES - count * Long.BYTES;
            case Frame.READ, Frame.WRITE ->
                length >= 0 && length <= Frame.MAXIMUM_LENGTH && length % Long.BYTES == 0;
            case Frame.WRITE_BESIDE ->
                length >= 0 && length <= Frame.MAXIMUM_LENGTH && length % (2 * Long.BYTES) == 0
                        && count >= 0 && count < Long.SIZE;
            case Frame.SEARCH -> length > 0 && length <= Batch.SEARCH_BYTES;
            default -> length == Long.BYTES;
        };
    }

    private static boolean isSearch(ByteBuffer request, int operands, int length, long stride, int tests) {
        boolean possible = tests >= 1 && tests <= WordTest.MOST && stride >= Long.BYTES && stride % Long.BYTES == 0
                && length % stride == 0;
        for (int test = 0; test < tests && possible; test++) {
            long displacement = request.getLong(operands + Long.BYTES + test * (int) WordTest.BYTES);
            possible = displacement >= 0 && displacement < stride && displacement % Long.BYTES == 0;
        }
        return possible;
    }

    private static int resultBytes(byte kind, int length, int count) {
        return switch (kind) {
            case Frame.WRITE, Frame.WRITE_BESIDE -> 0;
            case Frame.SEARCH -> 2 * Long.BYTES;
            case Frame.READ_RECORDS -> length + count * Long.BYTES;
            default -> length;
        };
    }

    private static int operandBytes(byte kind, int length, int tests) {
        return switch (kind) {
            case Frame.READ, Frame.READ_RECORDS -> 0;
            case Frame.WRITE -> length;
            case Frame.WRITE_BESIDE -> length / 2;
            case Frame.COMPARE_AND_EXCHANGE, Frame.EXCHANGE_FOUND -> 2 * Long.BYTES;
            case Frame.SEARCH -> Long.BYTES + tests * (int) WordTest.BYTES;
            default -> Long.BYTES;
        };
    }
}
