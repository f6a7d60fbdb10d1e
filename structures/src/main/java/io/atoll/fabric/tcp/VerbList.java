package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.atoll.fabric.link.OutstandingRequests;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Verbs that a thread has added and not yet seen completed. The list knows where their words are, at the owner and in
 * the memory of the thread. Posting lays them out as frames. The thread that reads an answer uses the list to place the
 * results. For one thread at a time.
 * <pre>
 *   verb    0   1   2   3   4          the verbs of a lane are linked, so that each lane gets its own in one go
 *   lane    a   b   a   a   b
 *   next    2   4   3   -   -
 * </pre>
 */
final class VerbList extends Waiter {

    private static final int FIRST_VERBS = 8;
    private static final int MOST_VERBS = 1 << 12;
    private static final int NONE = -1;

    private final OutstandingRequests outstandingRequests = new OutstandingRequests();
    private final List<Run> runs = new ArrayList<>(List.of(new Run()));
    private int runCount;
    private int count;
    private byte[] kinds = {};
    private int[] lengths = {};
    private long[] positions = {}; // in the memory, or in the results
    private int[] next = {};
    private int[] frames = {}; // the frame of each verb, by a number that no other frame of the list had
    private byte[] guards = {}; // the number of an exchange in the same frame, or 0
    private long[] offsets = {};
    private long[] operands = {}; // two for each verb
    private MemorySegment memory = MemorySegment.NULL;
    private long[] results = {};
    private boolean[] answered = {}; // true if the result is there
    private int[] resultFrames = {}; // the frame of each atomic
    private byte[] resultNumbers = {}; // the number of each atomic in its frame, from 1
    private int lastFrame;
    private byte guard; // of the verbs that are added now

    /** The verbs of one lane. */
    private static final class Run {
        private TcpLane lane;
        private int first;
        private int last;
        private String verb;
        private long offset;
        // The frame that the next verb goes into if it fits.
        private int frame;
        private int requestBytes;
        private int answerBytes;
        private int atomics;

        private boolean fits(long moreRequestBytes, long moreAnswerBytes) {
            return requestBytes + moreRequestBytes <= Frame.MAXIMUM_BYTES
                    && answerBytes + moreAnswerBytes <= Frame.MAXIMUM_BYTES;
        }

        /** Returns false if another atomic could not guard verbs of the frame. */
        private boolean hasRoomFor(byte kind) {
            return !Frame.isAtomic(kind) || atomics < Frame.MOST_GUARDS;
        }

        private void begin(int newFrame) {
            frame = newFrame;
            requestBytes = Frame.HEADER_BYTES;
            answerBytes = Frame.HEADER_BYTES;
            atomics = 0;
        }
    }

    /** @param results how many results of atomics it can hold at first */
    VerbList(int results) {
        resize(FIRST_VERBS);
        resizeResults(results);
    }

    /** Resizes all arrays. If there is not enough memory, all stay as they are. */
    private void resize(int size) {
        byte[] moreKinds = Arrays.copyOf(kinds, size);
        int[] moreLengths = Arrays.copyOf(lengths, size);
        long[] morePositions = Arrays.copyOf(positions, size);
        int[] moreNext = Arrays.copyOf(next, size);
        int[] moreFrames = Arrays.copyOf(frames, size);
        byte[] moreGuards = Arrays.copyOf(guards, size);
        long[] moreOffsets = Arrays.copyOf(offsets, size);
        long[] moreOperands = Arrays.copyOf(operands, 2 * size);
        kinds = moreKinds;
        lengths = moreLengths;
        positions = morePositions;
        next = moreNext;
        frames = moreFrames;
        guards = moreGuards;
        offsets = moreOffsets;
        operands = moreOperands;
    }

    /** As {@link #resize}, for results. */
    private void resizeResults(int size) {
        long[] moreResults = Arrays.copyOf(results, size);
        boolean[] moreAnswered = Arrays.copyOf(answered, size);
        int[] moreFrames = Arrays.copyOf(resultFrames, size);
        byte[] moreNumbers = Arrays.copyOf(resultNumbers, size);
        results = moreResults;
        answered = moreAnswered;
        resultFrames = moreFrames;
        resultNumbers = moreNumbers;
    }

    /** Sets the memory that reads go to and writes come from. No verb may be under way. */
    VerbList use(MemorySegment words) {
        memory = words;
        return this;
    }

    long result(int index) {
        return results[index];
    }

    void setResult(int index, long value) {
        results[index] = value;
        answered[index] = true;
    }

    /** Makes sure that the list can hold the result with that index. */
    void makeRoomForResult(int index) {
        if (index >= results.length) {
            resizeResults(2 * index);
        }
    }

    /** Returns true if the result is there. While verbs are under way, only their thread may ask. */
    boolean isAnswered(int index) {
        return answered[index];
    }

    // --- adding ---

    /**
     * Guards the verb that is added next, and those after it, if the owner can decide: if the whole verb goes into the
     * same frame as the exchange. Returns false otherwise.
     *
     * @param exchange the index of its result
     * @param bytes that the verb moves; 8 for an atomic
     */
    boolean guard(TcpLane lane, int exchange, byte kind, long bytes) {
        int parts = Math.toIntExact(Math.ceilDiv(bytes, Frame.MAXIMUM_LENGTH));
        long operands = kind == Frame.WRITE ? bytes : Frame.operandBytes(kind, Long.BYTES);
        long resultBytes = kind == Frame.WRITE ? 0 : bytes;
        for (int known = 0; known < runCount; known++) {
            Run run = runs.get(known);
            if (run.lane == lane && run.frame == resultFrames[exchange] && count + parts <= MOST_VERBS
                    && run.hasRoomFor(kind) && run.fits((long) parts * Frame.VERB_BYTES + operands, resultBytes)) {
                guard = resultNumbers[exchange];
                return true;
            }
        }
        return false;
    }

    /** What is added next takes effect in any case. */
    void unguard() {
        guard = 0;
    }

    /** Adds a read or a write of any number of bytes. */
    void move(TcpLane lane, byte kind, String verb, long offset, long position, long bytes) {
        for (long at = 0; at < bytes; at += Frame.MAXIMUM_LENGTH) {
            int part = (int) Math.min(bytes - at, Frame.MAXIMUM_LENGTH);
            add(lane, kind, verb, offset + at, part, position + at, 0, 0);
        }
    }

    /** Adds an atomic, whose result is placed at this index. */
    void update(TcpLane lane, byte kind, String verb, long offset, int result, long operand, long second) {
        Run run = add(lane, kind, verb, offset, Long.BYTES, result, operand, second);
        answered[result] = false;
        resultFrames[result] = run.frame;
        resultNumbers[result] = (byte) ++run.atomics;
    }

    /** Adds a write of one word that is not in the memory. */
    void writeWord(TcpLane lane, long offset, long value) {
        add(lane, Frame.WRITE, "write", offset, Long.BYTES, NONE, value, 0);
    }

    private Run add(TcpLane lane, byte kind, String verb, long offset, int length, long position, long operand,
            long second) {
        if (count == kinds.length) {
            makeRoom();
        }
        int index = count++;
        kinds[index] = kind;
        lengths[index] = length;
        positions[index] = position;
        offsets[index] = offset;
        operands[2 * index] = operand;
        operands[2 * index + 1] = second;
        next[index] = NONE;
        guards[index] = guard;
        Run run = append(lane, index, verb, offset);
        frames[index] = frame(run, kind, Frame.VERB_BYTES + Frame.operandBytes(kind, length),
                Frame.resultBytes(kind, length));
        return run;
    }

    /** Returns the frame of the next verb of a lane: the last one of this lane, or a new one if that is full. */
    private int frame(Run run, byte kind, int requestBytes, int answerBytes) {
        if (!run.hasRoomFor(kind) || !run.fits(requestBytes, answerBytes)) {
            run.begin(++lastFrame);
        }
        run.requestBytes += requestBytes;
        run.answerBytes += answerBytes;
        return run.frame;
    }

    private void makeRoom() {
        if (count < MOST_VERBS) {
            resize(2 * count);
        } else {
            complete();
        }
    }

    private Run append(TcpLane lane, int index, String verb, long offset) {
        Run run = run(lane, index);
        if (run.first != index) {
            next[run.last] = index;
        }
        run.last = index;
        run.verb = verb;
        run.offset = offset;
        return run;
    }

    private Run run(TcpLane lane, int index) {
        for (int known = 0; known < runCount; known++) {
            if (runs.get(known).lane == lane) {
                return runs.get(known);
            }
        }
        if (runCount == runs.size()) {
            runs.add(new Run());
        }
        Run run = runs.get(runCount++);
        run.lane = lane;
        run.first = index;
        run.begin(++lastFrame);
        return run;
    }

    // --- posting ---

    /** Posts what was added, and waits until it is done. */
    void complete() {
        try {
            post(runCount == 1 ? TcpLane.Urgency.AWAITED_AT_ONCE : TcpLane.Urgency.AWAITED);
        } finally {
            try {
                outstandingRequests.await();
            } finally {
                count = 0;
            }
        }
    }

    /** Posts what was added, for a thread that waits for it later. */
    void post() {
        post(TcpLane.Urgency.AWAITED);
    }

    /** Posts writes that no thread waits for. When it returns, the memory may be used again. */
    void send() {
        try {
            post(TcpLane.Urgency.UNAWAITED);
        } finally {
            count = 0;
        }
    }

    /** Returns true if everything posted is done. Throws its failure, if there was one. An error changes nothing. */
    boolean isDone() {
        boolean done = false;
        try {
            done = outstandingRequests.isDone();
            return done;
        } catch (RuntimeException failure) {
            done = true;
            throw failure;
        } finally {
            if (done) {
                count = 0;
            }
        }
    }

    /** Empties the list, once no verb uses its memory. Failures of its former verbs are dropped. */
    VerbList emptied() {
        outstandingRequests.settle();
        forgetRuns();
        count = 0;
        guard = 0;
        return this;
    }

    /** Posts the verbs of all lanes. A broken lane does not prevent posting to the others. */
    private void post(TcpLane.Urgency urgency) {
        RuntimeException failure = null;
        try {
            for (int index = 0; index < runCount; index++) {
                Run run = runs.get(index);
                try {
                    post(run, urgency);
                } catch (RuntimeException broken) {
                    failure = failure == null ? broken : failure;
                }
            }
        } finally {
            forgetRuns();
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void forgetRuns() {
        int known = runCount;
        runCount = 0; // first: what was not posted must not be posted together with what is added next
        for (int index = 0; index < known; index++) {
            runs.get(index).lane = null; // do not keep lanes of ranks that are gone
        }
    }

    /** Posts the frames of a lane. */
    private void post(Run run, TcpLane.Urgency urgency) {
        int first = run.first;
        if (urgency != TcpLane.Urgency.UNAWAITED) {
            outstandingRequests.reserve(run.lane);
        }
        while (first != NONE) {
            int verbs = 0;
            int request = Frame.HEADER_BYTES;
            int answer = Frame.HEADER_BYTES;
            int behind = first;
            while (behind != NONE && frames[behind] == frames[first]) {
                request += Frame.VERB_BYTES + Frame.operandBytes(kinds[behind], lengths[behind]);
                answer += Frame.resultBytes(kinds[behind], lengths[behind]);
                verbs++;
                behind = next[behind];
            }
            boolean isFollowed = behind != NONE && urgency != TcpLane.Urgency.UNAWAITED;
            long number = run.lane.post(this, first, verbs, request, answer,
                    isFollowed ? TcpLane.Urgency.FOLLOWED : urgency, run.verb, run.offset);
            if (urgency != TcpLane.Urgency.UNAWAITED) {
                outstandingRequests.add(run.lane, number, run.verb, run.offset);
            }
            first = behind;
        }
    }

    /** Lays verbs out, from this position on. Returns how many of them change something. */
    int encode(int first, int verbs, MemorySegment out, long position) {
        long at = position;
        int changes = 0;
        for (int index = first, left = verbs; left > 0; index = next[index], left--) {
            byte kind = kinds[index];
            int length = lengths[index];
            changes += kind == Frame.READ ? 0 : 1;
            out.set(JAVA_BYTE, at + Frame.KIND, kind);
            out.set(JAVA_BYTE, at + Frame.GUARD, guards[index]);
            out.set(JAVA_SHORT, at + 2, (short) 0);
            out.set(JAVA_INT, at + Frame.LENGTH, length);
            out.set(JAVA_LONG, at + Frame.OFFSET, offsets[index]);
            at += Frame.VERB_BYTES;
            at += encodeOperands(index, kind, length, out, at);
        }
        return changes;
    }

    private long encodeOperands(int index, byte kind, int length, MemorySegment out, long at) {
        if (kind == Frame.WRITE && positions[index] != NONE) {
            MemorySegment.copy(memory, positions[index], out, at, length);
        } else if (kind != Frame.READ) {
            out.set(JAVA_LONG, at, operands[2 * index]);
            if (kind == Frame.COMPARE_AND_EXCHANGE) {
                out.set(JAVA_LONG, at + Long.BYTES, operands[2 * index + 1]);
            }
        }
        return Frame.operandBytes(kind, length);
    }

    @Override
    void take(int first, int verbs, MemorySegment in, long position, long bytes) throws MalformedFrameException {
        long at = position;
        int atomics = 0;
        long exchanged = 0; // the exchanges that took place, each a bit
        for (int index = first, left = verbs; left > 0; index = next[index], left--) {
            int taken = Frame.resultBytes(kinds[index], lengths[index]);
            if (at + taken > position + bytes) {
                break;
            }
            boolean isSkipped = !Frame.isOneOf(exchanged, guards[index]);
            if (kinds[index] == Frame.READ && !isSkipped) {
                MemorySegment.copy(in, at, memory, positions[index], taken);
            } else if (Frame.isAtomic(kinds[index])) {
                long found = in.get(JAVA_LONG, at);
                setResult((int) positions[index], found);
                atomics++;
                if (kinds[index] == Frame.COMPARE_AND_EXCHANGE && !isSkipped && found == operands[2 * index]) {
                    exchanged = Frame.withExchange(exchanged, atomics);
                }
            }
            at += taken;
        }
        if (at != position + bytes) {
            throw new MalformedFrameException("an answer has other results than were asked for: bytes=" + bytes);
        }
    }
}
