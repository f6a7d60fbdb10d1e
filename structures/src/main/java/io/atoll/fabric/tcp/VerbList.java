package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.fabric.RecordSearch;
import io.atoll.fabric.WordTest;
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
    private final List<LaneVerbs> lanes = new ArrayList<>(List.of(new LaneVerbs()));
    private int laneCount;
    private LaneVerbs latest = lanes.getFirst(); // that of the verb added last, if there is any
    private int count;
    private long[] heads = {}; // as they stand in a frame; a guard is an exchange or search in the same frame
    private long[] positions = {}; // in the memory, or in the results
    private int[] next = {};
    private int[] frames = {}; // the frame of each verb, by a number that no other frame of the list had
    private short[] searches = {}; // the search whose word an exchange replaces
    private long[] offsets = {};
    // Two for each verb that has any; of a search, its stride and the position of its tests.
    private long[] operands = {};
    private MemorySegment memory = MemorySegment.NULL;
    private long[] results = {};
    private int[] displacements = {}; // at which searches have found their records
    private boolean[] answered = {}; // true if the result is there
    private int[] resultFrames = {}; // the frame of each atomic and search
    private byte[] resultNumbers = {}; // the number of each of them in its frame, from 1
    private int lastFrame;
    private byte guard; // of the verbs that are added now

    /** The verbs of one lane. */
    private static final class LaneVerbs {
        private TcpLane lane;
        private int first;
        private int last;
        private String verb;
        private long offset;
        // The frame that the next verb goes into if it fits.
        private int frame;
        private int verbs;
        private int requestBytes;
        private int answerBytes;
        private int numbered; // its atomics and searches

        private boolean fits(long moreRequestBytes, long moreAnswerBytes) {
            return requestBytes + moreRequestBytes <= Frame.MAXIMUM_BYTES
                    && answerBytes + moreAnswerBytes <= Frame.MAXIMUM_BYTES;
        }

        /** Returns false if another atomic or search could not guard verbs of the frame. */
        private boolean hasRoomFor(byte kind) {
            return !Frame.isNumbered(kind) || numbered < Frame.MOST_GUARDS;
        }

        private void begin(int newFrame) {
            frame = newFrame;
            verbs = 0;
            requestBytes = Frame.HEADER_BYTES;
            answerBytes = Frame.HEADER_BYTES;
            numbered = 0;
        }
    }

    /** @param results how many results of atomics and searches it can hold at first */
    VerbList(int results) {
        resize(FIRST_VERBS);
        resizeResults(results);
    }

    /** Resizes all arrays. If there is not enough memory, all stay as they are. */
    private void resize(int size) {
        long[] moreHeads = Arrays.copyOf(heads, size);
        long[] morePositions = Arrays.copyOf(positions, size);
        int[] moreNext = Arrays.copyOf(next, size);
        int[] moreFrames = Arrays.copyOf(frames, size);
        short[] moreSearches = Arrays.copyOf(searches, size);
        long[] moreOffsets = Arrays.copyOf(offsets, size);
        long[] moreOperands = Arrays.copyOf(operands, 2 * size);
        heads = moreHeads;
        positions = morePositions;
        next = moreNext;
        frames = moreFrames;
        searches = moreSearches;
        offsets = moreOffsets;
        operands = moreOperands;
    }

    /** As {@link #resize}, for results. */
    private void resizeResults(int size) {
        long[] moreResults = Arrays.copyOf(results, size);
        int[] moreDisplacements = Arrays.copyOf(displacements, size);
        boolean[] moreAnswered = Arrays.copyOf(answered, size);
        int[] moreFrames = Arrays.copyOf(resultFrames, size);
        byte[] moreNumbers = Arrays.copyOf(resultNumbers, size);
        results = moreResults;
        displacements = moreDisplacements;
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

    /** Returns the displacement at which a search found a record, or {@link RecordSearch#NOWHERE}. */
    int displacement(int index) {
        return displacements[index];
    }

    void setFound(int index, long word, int displacement) {
        displacements[index] = displacement;
        setResult(index, word);
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
     * Guards the verb that is added next, and those after it, if the owner can decide. It can if the whole verb goes
     * into the same frame as the guard. Returns false otherwise.
     *
     * @param guardIndex the index of the result of an exchange or search
     * @param bytes that the verb moves; 8 for an atomic, those of all records for a search or a read of records, and
     * those of both places for a write beside one
     * @param number of the tests of a search, or of records that are read
     */
    boolean guard(TcpLane lane, int guardIndex, byte kind, long bytes, int number) {
        int parts = Math.toIntExact(Math.ceilDiv(bytes, Frame.MAXIMUM_LENGTH));
        long operands = Frame.operandBytes(kind, (int) bytes, number);
        long resultBytes = kind == Frame.READ ? bytes : Frame.resultBytes(kind, (int) bytes, number);
        for (int known = 0; known < laneCount; known++) {
            LaneVerbs verbsOfLane = lanes.get(known);
            if (verbsOfLane.lane == lane && verbsOfLane.frame == resultFrames[guardIndex] && count + parts <= MOST_VERBS
                    && verbsOfLane.hasRoomFor(kind)
                    && verbsOfLane.fits((long) parts * Frame.VERB_BYTES + operands, resultBytes)) {
                guard = resultNumbers[guardIndex];
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
            add(lane, kind, 0, verb, offset + at, part, position + at);
        }
    }

    /**
     * Adds a read of records.
     *
     * @param bytes of all records
     */
    void readRecords(TcpLane lane, long offset, int bytes, long position, int number) {
        add(lane, Frame.READ_RECORDS, number, "readRecords", offset, bytes, position);
    }

    /**
     * Adds a write to one of two places.
     *
     * @param bytes of both places
     */
    void writeBeside(TcpLane lane, long offset, int bytes, long position, int bit) {
        add(lane, Frame.WRITE_BESIDE, bit, "writeBeside", offset, bytes, position);
    }

    /** Adds an atomic, whose result is placed at this index. */
    void update(TcpLane lane, byte kind, String verb, long offset, int result, long operand, long second) {
        LaneVerbs verbsOfLane = add(lane, kind, 0, verb, offset, Long.BYTES, result);
        setOperands(operand, second);
        number(verbsOfLane, result);
    }

    /** Sets the operands of the verb that was added last. */
    private void setOperands(long first, long second) {
        operands[2 * count - 2] = first;
        operands[2 * count - 1] = second;
    }

    /**
     * Adds an exchange of the word that a search finds, which guards it. Its result is placed at this index.
     *
     * @param search the index of the result of the search
     */
    void exchangeFound(TcpLane lane, long offset, int result, int search, long keep, long addend) {
        update(lane, Frame.EXCHANGE_FOUND, "exchangeFound", offset, result, keep, addend);
        searches[count - 1] = (short) search;
    }

    /**
     * Adds a search, whose result is placed at this index.
     *
     * @param bytes of all records
     * @param position of the tests
     */
    void search(TcpLane lane, long offset, int bytes, int result, long stride, long position, int tests) {
        LaneVerbs verbsOfLane = add(lane, Frame.SEARCH, tests, "search", offset, bytes, result);
        setOperands(stride, position);
        number(verbsOfLane, result);
    }

    private void number(LaneVerbs verbsOfLane, int result) {
        answered[result] = false;
        resultFrames[result] = verbsOfLane.frame;
        resultNumbers[result] = (byte) ++verbsOfLane.numbered;
    }

    /** Adds a write of one word that is not in the memory. */
    void writeWord(TcpLane lane, long offset, long value) {
        add(lane, Frame.WRITE, 0, "write", offset, Long.BYTES, NONE);
        setOperands(value, 0);
    }

    /** @param number of the tests of a search, or of records that are read; or a bit */
    private LaneVerbs add(TcpLane lane, byte kind, int number, String verb, long offset, int length, long position) {
        if (count == heads.length) {
            makeRoom();
        }
        int index = count++;
        long head = Frame.head(kind, guard, number, length);
        heads[index] = head;
        positions[index] = position;
        offsets[index] = offset;
        next[index] = NONE;
        LaneVerbs verbsOfLane = append(lane, index, verb, offset);
        frames[index] = frame(verbsOfLane, kind, Frame.requestBytes(head), resultBytes(head));
        return verbsOfLane;
    }

    private static int resultBytes(long head) {
        return Frame.resultBytes(Frame.kind(head), Frame.length(head), Frame.count(head));
    }

    /** Returns the frame of the next verb of a lane: the last one of this lane, or a new one if that is full. */
    private int frame(LaneVerbs verbsOfLane, byte kind, int requestBytes, int answerBytes) {
        if (!verbsOfLane.hasRoomFor(kind) || !verbsOfLane.fits(requestBytes, answerBytes)) {
            verbsOfLane.begin(++lastFrame);
        }
        verbsOfLane.verbs++;
        verbsOfLane.requestBytes += requestBytes;
        verbsOfLane.answerBytes += answerBytes;
        return verbsOfLane.frame;
    }

    private void makeRoom() {
        if (count < MOST_VERBS) {
            resize(2 * count);
        } else {
            complete();
        }
    }

    private LaneVerbs append(TcpLane lane, int index, String verb, long offset) {
        LaneVerbs verbsOfLane = verbsOfLane(lane, index);
        if (verbsOfLane.first != index) {
            next[verbsOfLane.last] = index;
        }
        verbsOfLane.last = index;
        verbsOfLane.verb = verb;
        verbsOfLane.offset = offset;
        return verbsOfLane;
    }

    private LaneVerbs verbsOfLane(TcpLane lane, int index) {
        if (laneCount > 0 && latest.lane == lane) {
            return latest;
        }
        for (int known = 0; known < laneCount; known++) {
            if (lanes.get(known).lane == lane) {
                latest = lanes.get(known);
                return latest;
            }
        }
        if (laneCount == lanes.size()) {
            lanes.add(new LaneVerbs());
        }
        LaneVerbs verbsOfLane = lanes.get(laneCount++);
        verbsOfLane.lane = lane;
        verbsOfLane.first = index;
        verbsOfLane.begin(++lastFrame);
        latest = verbsOfLane;
        return verbsOfLane;
    }

    // --- posting ---

    /** Posts what was added, and waits until it is done. */
    void complete() {
        try {
            post(laneCount == 1 ? TcpLane.Urgency.AWAITED_AT_ONCE : TcpLane.Urgency.AWAITED);
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
        forgetLanes();
        count = 0;
        guard = 0;
        return this;
    }

    /** Posts the verbs of all lanes. A broken lane does not prevent posting to the others. */
    private void post(TcpLane.Urgency urgency) {
        RuntimeException failure = null;
        try {
            for (int index = 0; index < laneCount; index++) {
                LaneVerbs verbsOfLane = lanes.get(index);
                try {
                    post(verbsOfLane, urgency);
                } catch (RuntimeException broken) {
                    failure = failure == null ? broken : failure;
                }
            }
        } finally {
            forgetLanes();
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void forgetLanes() {
        int known = laneCount;
        laneCount = 0; // first: what was not posted must not be posted together with what is added next
        for (int index = 0; index < known; index++) {
            lanes.get(index).lane = null; // do not keep lanes of ranks that are gone
        }
    }

    /** Posts the frames of a lane. */
    private void post(LaneVerbs verbsOfLane, TcpLane.Urgency urgency) {
        int first = verbsOfLane.first;
        if (urgency != TcpLane.Urgency.UNAWAITED) {
            outstandingRequests.reserve(verbsOfLane.lane);
        }
        while (first != NONE) {
            // The size of the last frame is known, and the verbs of most lanes need no other one.
            boolean isLast = frames[first] == verbsOfLane.frame;
            int verbs = isLast ? verbsOfLane.verbs : 0;
            int request = isLast ? verbsOfLane.requestBytes : Frame.HEADER_BYTES;
            int answer = isLast ? verbsOfLane.answerBytes : Frame.HEADER_BYTES;
            int behind = isLast ? NONE : first;
            while (behind != NONE && frames[behind] == frames[first]) {
                request += Frame.requestBytes(heads[behind]);
                answer += resultBytes(heads[behind]);
                verbs++;
                behind = next[behind];
            }
            boolean isFollowed = behind != NONE && urgency != TcpLane.Urgency.UNAWAITED;
            long number = verbsOfLane.lane.post(this, first, verbs, request, answer,
                    isFollowed ? TcpLane.Urgency.FOLLOWED : urgency, verbsOfLane.verb, verbsOfLane.offset);
            if (urgency != TcpLane.Urgency.UNAWAITED) {
                outstandingRequests.add(verbsOfLane.lane, number, verbsOfLane.verb, verbsOfLane.offset);
            }
            first = behind;
        }
    }

    /** Lays verbs out, from this position on. Returns how many of them change something. */
    int encode(int first, int verbs, MemorySegment out, long position) {
        long at = position;
        int changes = 0;
        for (int index = first, left = verbs; left > 0; index = next[index], left--) {
            long head = heads[index];
            out.set(JAVA_LONG, at + Frame.HEAD, head);
            out.set(JAVA_LONG, at + Frame.OFFSET, offsets[index]);
            if (!Frame.bringsWords(Frame.kind(head))) {
                changes += Frame.isRead(Frame.kind(head)) ? 0 : 1;
                encodeOperands(index, head, out, at + Frame.VERB_BYTES);
            }
            at += Frame.requestBytes(head);
        }
        return changes;
    }

    private void encodeOperands(int index, long head, MemorySegment out, long at) {
        byte kind = Frame.kind(head);
        if (Frame.isWrite(kind) && positions[index] != NONE) {
            MemorySegment.copy(memory, positions[index], out, at, Frame.operandBytes(kind, Frame.length(head), 0));
        } else {
            long second = operands[2 * index + 1];
            out.set(JAVA_LONG, at, operands[2 * index]);
            if (kind == Frame.SEARCH) {
                MemorySegment.copy(memory, second, out, at + Long.BYTES, Frame.count(head) * WordTest.BYTES);
            } else if (kind == Frame.COMPARE_AND_EXCHANGE || kind == Frame.EXCHANGE_FOUND) {
                out.set(JAVA_LONG, at + Long.BYTES, second);
            }
        }
    }

    @Override
    void take(int first, int verbs, MemorySegment in, long position, long bytes) throws MalformedFrameException {
        long end = position + bytes;
        long at = position;
        int numbered = 0;
        long succeeded = 0; // the guards whose verbs were executed, each a bit
        for (int index = first, left = verbs; left > 0; index = next[index], left--) {
            long head = heads[index];
            int taken = resultBytes(head);
            if (at + taken > end) {
                break;
            }
            if (Frame.isPlain(head)) {
                long target = positions[index];
                // What verbs bring to words that follow each other is copied together.
                while (left > 1 && follows(next[index], target + taken)
                        && at + taken + Frame.broughtBytes(heads[next[index]]) <= end) {
                    index = next[index];
                    left--;
                    taken += Frame.broughtBytes(heads[index]);
                }
                MemorySegment.copy(in, at, memory, target, taken);
                at += taken;
                continue;
            }
            boolean isSkipped = !Frame.isOneOf(succeeded, Frame.guard(head));
            if (Frame.isNumbered(Frame.kind(head))) {
                numbered++;
                if (take(index, in, at) && !isSkipped) {
                    succeeded = Frame.with(succeeded, numbered);
                }
            } else if (Frame.bringsWords(Frame.kind(head)) && !isSkipped) {
                MemorySegment.copy(in, at, memory, positions[index], taken);
            }
            at += taken;
        }
        if (at != end) {
            throw new MalformedFrameException("an answer has other results than were asked for: bytes=" + bytes);
        }
    }

    /** Returns true if the verb brings words to this position, and nothing guards it. */
    private boolean follows(int index, long position) {
        return positions[index] == position && Frame.isPlain(heads[index]);
    }

    private int length(int index) {
        return Frame.length(heads[index]);
    }

    /** Takes the result of an atomic or search. Returns true if it can guard verbs, and has succeeded if executed. */
    private boolean take(int index, MemorySegment in, long at) throws MalformedFrameException {
        int result = (int) positions[index];
        long found = in.get(JAVA_LONG, at);
        byte kind = Frame.kind(heads[index]);
        if (kind == Frame.SEARCH) {
            long displacement = in.get(JAVA_LONG, at + Long.BYTES);
            if (displacement != RecordSearch.NOWHERE
                    && (displacement < 0 || displacement >= length(index)
                            || displacement % operands[2 * index] != 0)) {
                throw new MalformedFrameException("no record is there: displacement=" + displacement);
            }
            displacements[result] = (int) displacement;
        }
        setResult(result, found);
        return switch (kind) {
            case Frame.SEARCH -> displacements[result] != RecordSearch.NOWHERE;
            case Frame.COMPARE_AND_EXCHANGE -> found == operands[2 * index];
            case Frame.EXCHANGE_FOUND -> found == results[searches[index]];
            default -> false;
        };
    }
}
