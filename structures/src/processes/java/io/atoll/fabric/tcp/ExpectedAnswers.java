package io.atoll.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
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

    /** Says that no rank sends these bytes. */
    private static final class Malformed extends Exception {

        private static final long serialVersionUID = 1L;
    }

    private static final int NO_KIND = Frame.LAST_KIND + 1;

    private final long segmentBytes;
    private final List<Answer> answers = new ArrayList<>();
    private long lastNumber;
    private boolean isMalformed;
    private boolean isCutOff;

    /** @param segmentBytes the size of the owner's segment */
    ExpectedAnswers(long segmentBytes) {
        this.segmentBytes = segmentBytes;
    }

    List<Answer> answers() {
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
        int status = 0;
        int verbs = Short.toUnsignedInt(request.getShort((int) Frame.VERBS));
        int atomics = 0;
        Set<Integer> guards = new HashSet<>(Set.of(0)); // the values that the next guard may have
        for (int verb = 1; verb <= verbs; verb++) {
            refuseIf(request.limit() - at < Frame.VERB_BYTES);
            byte kind = request.get(at + (int) Frame.KIND);
            int length = request.getInt(at + (int) Frame.LENGTH);
            long offset = request.getLong(at + (int) Frame.OFFSET);
            refuseIf(kind < Frame.READ || kind >= NO_KIND || !isLength(kind, length));
            refuseIf(!guards.contains((int) request.get(at + (int) Frame.GUARD)));
            atomics += kind == Frame.READ || kind == Frame.WRITE ? 0 : 1;
            if (kind == Frame.COMPARE_AND_EXCHANGE && atomics <= Frame.MOST_GUARDS) {
                guards.add(atomics);
            }
            at += Frame.VERB_BYTES + operandBytes(kind, length);
            int resultBytes = kind == Frame.WRITE ? 0 : length;
            answerBytes += resultBytes;
            refuseIf(at > request.limit() || answerBytes > Frame.MAXIMUM_BYTES);
            boolean isInside = offset >= 0 && offset % Long.BYTES == 0 && offset <= segmentBytes - length;
            status = status == 0 && !isInside ? verb : status;
            doneBytes += status == 0 ? resultBytes : 0;
        }
        refuseIf(at != request.limit());
        lastNumber = number;
        if ((request.getShort((int) Frame.FLAGS) & Frame.ANSWER_WANTED) != 0) {
            answers.add(new Answer(doneBytes, status, number));
        }
    }

    private static boolean isLength(byte kind, int length) {
        return kind == Frame.READ || kind == Frame.WRITE
                ? length >= 0 && length <= Frame.MAXIMUM_LENGTH && length % Long.BYTES == 0
                : length == Long.BYTES;
    }

    private static int operandBytes(byte kind, int length) {
        return switch (kind) {
            case Frame.READ -> 0;
            case Frame.WRITE -> length;
            case Frame.COMPARE_AND_EXCHANGE -> 2 * Long.BYTES;
            default -> Long.BYTES;
        };
    }
}
