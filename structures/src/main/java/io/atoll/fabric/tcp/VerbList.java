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
    private long[] offsets = {};
    private long[] operands = {}; // two for each verb
    private MemorySegment memory = MemorySegment.NULL;
    private final long[] results;

    /** The verbs of one lane. */
    private static final class Run {
        private TcpLane lane;
        private int first;
        private int last;
        private String verb;
        private long offset;
    }

    /** @param results how many results of atomics it can hold */
    VerbList(int results) {
        this.results = new long[results];
        resize(FIRST_VERBS);
    }

    /** Resizes all arrays. If there is not enough memory, all stay as they are. */
    private void resize(int size) {
        byte[] moreKinds = Arrays.copyOf(kinds, size);
        int[] moreLengths = Arrays.copyOf(lengths, size);
        long[] morePositions = Arrays.copyOf(positions, size);
        int[] moreNext = Arrays.copyOf(next, size);
        long[] moreOffsets = Arrays.copyOf(offsets, size);
        long[] moreOperands = Arrays.copyOf(operands, 2 * size);
        kinds = moreKinds;
        lengths = moreLengths;
        positions = morePositions;
        next = moreNext;
        offsets = moreOffsets;
        operands = moreOperands;
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
    }

    // --- adding ---

    /** Adds a read or a write of any number of bytes. */
    void move(TcpLane lane, byte kind, String verb, long offset, long position, long bytes) {
        for (long at = 0; at < bytes; at += Frame.MAXIMUM_LENGTH) {
            int part = (int) Math.min(bytes - at, Frame.MAXIMUM_LENGTH);
            add(lane, kind, verb, offset + at, part, position + at, 0, 0);
        }
    }

    /** Adds an atomic, whose result is placed at this index. */
    void update(TcpLane lane, byte kind, String verb, long offset, int result, long operand, long second) {
        add(lane, kind, verb, offset, Long.BYTES, result, operand, second);
    }

    /** Adds a write of one word that is not in the memory. */
    void writeWord(TcpLane lane, long offset, long value) {
        add(lane, Frame.WRITE, "write", offset, Long.BYTES, NONE, value, 0);
    }

    private void add(TcpLane lane, byte kind, String verb, long offset, int length, long position, long operand,
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
        append(lane, index, verb, offset);
    }

    private void makeRoom() {
        if (count < MOST_VERBS) {
            resize(2 * count);
        } else {
            complete();
        }
    }

    private void append(TcpLane lane, int index, String verb, long offset) {
        Run run = run(lane, index);
        if (run.first != index) {
            next[run.last] = index;
        }
        run.last = index;
        run.verb = verb;
        run.offset = offset;
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

    /** Cuts the verbs of a lane into frames. */
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
            while (behind != NONE) {
                int requestBytes = Frame.VERB_BYTES + Frame.operandBytes(kinds[behind], lengths[behind]);
                int answerBytes = Frame.resultBytes(kinds[behind], lengths[behind]);
                if (request + requestBytes > Frame.MAXIMUM_BYTES || answer + answerBytes > Frame.MAXIMUM_BYTES) {
                    break;
                }
                request += requestBytes;
                answer += answerBytes;
                verbs++;
                behind = next[behind];
            }
            long number = run.lane.post(this, first, verbs, request, answer, urgency, run.verb, run.offset);
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
            out.set(JAVA_BYTE, at + Frame.GUARD, (byte) 0);
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
        for (int index = first, left = verbs; left > 0; index = next[index], left--) {
            int taken = Frame.resultBytes(kinds[index], lengths[index]);
            if (at + taken > position + bytes) {
                break;
            }
            if (kinds[index] == Frame.READ) {
                MemorySegment.copy(in, at, memory, positions[index], taken);
            } else if (taken > 0) {
                results[(int) positions[index]] = in.get(JAVA_LONG, at);
            }
            at += taken;
        }
        if (at != position + bytes) {
            throw new MalformedFrameException("an answer has other results than were asked for: bytes=" + bytes);
        }
    }
}
