package io.atoll.fabric.rdma;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import io.atoll.disni.SendChain;
import io.atoll.disni.SendWorkRequest;
import io.atoll.fabric.GuardedBatch;
import io.atoll.fabric.link.OutstandingRequests;
import io.atoll.failure.FabricException;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A batch that lays out each verb as a work request when it is added. It posts the requests as one chain for each lane.
 * Its memory is registered:
 * <pre>
 *   0           8 results      + 8 words
 *   +-----------+--------------+---------------//--
 *   |  results  |  words of    |     buffer
 *   |           |  writeWord   |
 *   +-----------+--------------+---------------//--
 * </pre>
 * If all slots are in use, the batch posts what was added before it adds more. If all words are in use, it also
 * completes what was added.
 *
 * <p>The batch of a virtual thread may need more room than its own buffer has. Then it borrows a whole buffer, from the
 * first such use until it is closed. It first completes what was added before.
 */
final class RdmaBatch extends GuardedBatch {

    /**
     * The capacity of a batch.
     *
     * @param slots the number of requests posted at once
     * @param results the number of atomics that it can hold
     * @param words the number of {@link #writeWord} that are under way at once
     * @param bufferBytes the size of the buffer at first
     */
    record Size(int slots, int results, int words, long bufferBytes) {

        private long headBytes() {
            return Layouts.roundUp((results + words) * Layouts.WORD, Layouts.CACHE_LINE);
        }

        long bytes() {
            return headBytes() + Layouts.roundUp(bufferBytes, Layouts.CACHE_LINE);
        }
    }

    /** The ways by which a batch reaches ranks. */
    interface Ways {

        /** Returns the lane to these words. Fails if the rank's segment has no such words. */
        QueuePairLane lane(int rank, String verb, long offset, long bytes);

        /** Reads words, as the calling thread's verbs do. Returns when they have arrived. */
        void read(int rank, long offset, MemorySegment into, long bytes);

        /** Returns the old value of an atomic, from the value that the device reports. */
        long fromDevice(long old);

        /** Returns the failure, extended by the name of the structure that was accessed. */
        FabricException named(FabricException failure);
    }

    private final Ways ways;
    private final Size size;
    private final OutstandingRequests outstandingRequests;
    private final SendChain chain;
    private final Registered head; // results and words
    private final Registered kept; // the batch's own buffer
    private final MappedMemory keptWords;
    private final @Nullable ThreadMemory growth; // lends a whole buffer if the own one is smaller
    private final Runnable release;
    private Registered used; // the buffer in use: the own one or a borrowed one
    private final Segment[] segments; // of the added requests, one for each lane
    private int segmentCount;
    private int added;
    private long unanswered; // a bit for each atomic, by its index
    private boolean hasLost; // true if verbs were added since the last completion, and could not be posted
    private int wordsWritten; // since the last completion
    private boolean underWay;

    /** The part of the chain that is posted to one lane. */
    private static final class Segment {
        private QueuePairLane lane;
        private int first;
        private int last;
        private int count;
        private String verb;
        private long offset;
    }

    /**
     * @param memory {@link Size#bytes()} of it
     * @param outstandingRequests the record of the verbs that use this memory
     * @param growth lends a whole buffer while the batch needs one; null if the batch has only its own buffer
     * @param release gives the memory back when the batch is closed
     */
    RdmaBatch(Ways ways, Size size, Registered memory, OutstandingRequests outstandingRequests, SendChain chain,
            @Nullable ThreadMemory growth,
            Runnable release) {
        Registered own = memory.slice(size.headBytes(), memory.bytes().byteSize() - size.headBytes());
        MappedMemory words = new MappedMemory(own.bytes());
        super(own.bytes(), words);
        this.ways = ways;
        this.size = size;
        this.outstandingRequests = outstandingRequests;
        this.chain = chain;
        this.head = memory.slice(0, size.headBytes());
        this.kept = own;
        this.keptWords = words;
        this.growth = growth;
        this.release = release;
        this.segments = new Segment[chain.size()];
        Arrays.setAll(segments, index -> new Segment());
        this.used = own;
    }

    /** Returns requests that are laid out when verbs are added. */
    static List<IbvSendWR> templates(int slots) {
        IbvSendWR request = new IbvSendWR();
        request.setOpcode(IbvSendWR.IBV_WR_RDMA_READ);
        request.setSg_list(new LinkedList<>(List.of(new IbvSge())));
        return Collections.nCopies(slots, request);
    }

    // --- the buffer ---

    /** Uses another buffer from now on. No verb may be under way. */
    void use(Registered buffer) {
        use(buffer.bytes(), new MappedMemory(buffer.bytes()));
        used = buffer;
    }

    /** Uses its own buffer again. No verb may be under way. */
    void useKept() {
        use(kept.bytes(), keptWords);
        used = kept;
    }

    @Override
    protected void grow() {
        if (growth != null && used == kept) {
            grow(growth);
        }
    }

    private void grow(ThreadMemory lender) {
        refuseIfUnderWay();
        postAdded(false);
        await(); // the posted requests use the old buffer
        boolean isUsed = false;
        try {
            Registered whole = lender.lend();
            whole.bytes().asSlice(0, kept.bytes().byteSize()).copyFrom(kept.bytes());
            use(whole);
            isUsed = true;
        } finally {
            if (!isUsed) {
                lender.giveBackLent();
            }
        }
    }

    // --- verbs ---

    @Override
    public void read(int rank, long offset, long position, long bytes) {
        moveBuffer(IbvSendWR.IBV_WR_RDMA_READ, "read", rank, offset, position, bytes);
    }

    @Override
    public void write(int rank, long offset, long position, long bytes) {
        moveBuffer(IbvSendWR.IBV_WR_RDMA_WRITE, "write", rank, offset, position, bytes);
    }

    private void moveBuffer(int opcode, String verb, int rank, long offset, long position, long bytes) {
        reserve(position + bytes);
        Objects.checkFromIndexSize(position, bytes, bufferBytes());
        if (isSkipped(rank)) {
            return;
        }
        long at = moved(offset);
        move(ways.lane(rank, verb, at, bytes), opcode, verb, at, used, position, bytes);
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        if (isSkipped(rank)) {
            return;
        }
        long at = moved(offset);
        QueuePairLane lane = ways.lane(rank, "write", at, Long.BYTES);
        if (wordsWritten == size.words()) {
            refuseIfUnderWay();
            postAdded(false);
            await();
            wordsWritten = 0;
        }
        long position = (size.results() + wordsWritten++) * Layouts.WORD;
        head.bytes().set(JAVA_LONG, position, value);
        move(lane, IbvSendWR.IBV_WR_RDMA_WRITE, "write", at, head, position, Long.BYTES);
    }

    private void move(QueuePairLane lane, int opcode, String verb, long offset, Registered memory, long position,
            long bytes) {
        if (bytes == 0) {
            return;
        }
        SendWorkRequest request = next(opcode, memory, position, bytes);
        request.getRdmaMod().setRemote_addr(lane.remote().address() + offset);
        request.getRdmaMod().setRkey(lane.remote().key());
        append(lane, verb, offset);
    }

    @Override
    public int compareAndExchange(int rank, long offset, long expected, long value) {
        int index = update(IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP, "compareAndExchange", rank, offset, expected, value);
        return rememberExchange(index, rank, expected);
    }

    @Override
    public int getAndAdd(int rank, long offset, long delta) {
        return remember(update(IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD, "getAndAdd", rank, offset, delta, 0));
    }

    @Override
    public int getAndBitwiseOr(int rank, long offset, long bits) {
        throw new UnsupportedOperationException("a card has no fetch-or: rank=" + rank + " offset=" + offset);
    }

    private int update(int opcode, String verb, int rank, long offset, long expectedOrDelta, long value) {
        long at = moved(offset);
        QueuePairLane lane = ways.lane(rank, verb, at, Long.BYTES);
        int index = nextIndex();
        assert index < size.results() : "the head has no room for another result: size=" + size;
        if (isSkipped(rank)) {
            refuseIfUnderWay();
            head.bytes().set(JAVA_LONG, index * Layouts.WORD, 0);
            unanswered &= ~(1L << index);
            return index;
        }
        SendWorkRequest.Atomic atomic = next(opcode, head, index * Layouts.WORD, Long.BYTES).getAtomicMod();
        atomic.setRemote_addr(lane.remote().address() + at);
        atomic.setRkey(lane.remote().key());
        atomic.setCompare_add(expectedOrDelta);
        atomic.setSwap(value);
        append(lane, verb, at);
        unanswered |= 1L << index;
        return index;
    }

    @Override
    protected void completeReads() {
        waitForAdded();
    }

    @Override
    protected void addSearch(int index, int rank, long offset, long bytes, long stride, long position, int tests) {
        if (isSkipped(rank)) {
            decideNothing(index);
        } else {
            waitForAdded();
            ways.read(rank, moved(offset), roomForRecords(bytes), bytes);
            decideRead(index, bytes, stride, position, tests);
        }
        unanswered &= ~(1L << index);
    }

    /** Lays out the next request. It does not count as added yet, since an error may come before it is complete. */
    private SendWorkRequest next(int opcode, Registered memory, long position, long bytes) {
        refuseIfUnderWay();
        if (added == chain.size()) {
            // Post them as writes that no thread waits for. If the connection breaks before they have arrived, later
            // requests of this batch do not go by a new connection.
            postAdded(false);
        }
        SendWorkRequest request = chain.request(added);
        request.setOpcode(opcode);
        request.getSgeMod(0).setAddr(memory.bytes().address() + position);
        request.getSgeMod(0).setLength(Math.toIntExact(bytes));
        request.getSgeMod(0).setLkey(memory.key());
        return request;
    }

    @Override
    protected void refuseIfUnderWay() {
        if (underWay) {
            throw new IllegalStateException("posted and not completed: added=" + added);
        }
    }

    /** Adds the request that is laid out. */
    private void append(QueuePairLane lane, String verb, long offset) {
        int slot = added;
        Segment segment = segment(lane);
        chain.end(slot);
        if (segment.count == 0) {
            segment.first = slot;
            segmentCount++;
        } else {
            chain.link(segment.last, slot);
        }
        segment.last = slot;
        segment.count++;
        segment.verb = verb;
        segment.offset = offset;
        added++;
    }

    /** Returns the part that is posted to the lane. If there is none yet, returns the next unused part, emptied. */
    private Segment segment(QueuePairLane lane) {
        for (int index = 0; index < segmentCount; index++) {
            if (segments[index].lane == lane) {
                return segments[index];
            }
        }
        Segment segment = segments[segmentCount];
        segment.lane = lane;
        segment.count = 0;
        return segment;
    }

    /** Posts what was added. A broken lane does not prevent posting to the others. */
    void postAdded(boolean awaited) {
        RuntimeException failure = null;
        boolean isPosted = false;
        try {
            for (int index = 0; index < segmentCount; index++) {
                try {
                    post(segments[index], awaited);
                } catch (RuntimeException broken) {
                    failure = failure == null ? broken : failure;
                }
            }
            isPosted = failure == null;
        } finally {
            hasLost |= !isPosted;
            forgetAdded();
        }
        if (failure != null) {
            throw failure instanceof FabricException access ? ways.named(access) : failure;
        }
    }

    private void post(Segment segment, boolean awaited) {
        // First: a request that is posted but not recorded would use memory that counts as free.
        outstandingRequests.reserve(segment.lane);
        long number = segment.lane.post(chain, segment.first, segment.last, segment.count, awaited, segment.verb,
                segment.offset);
        outstandingRequests.add(segment.lane, number, segment.verb, segment.offset);
    }

    private void forgetAdded() {
        int known = segmentCount;
        segmentCount = 0; // first: what was not posted must not be posted together with what is added next
        added = 0;
        for (int index = 0; index < known; index++) {
            segments[index].lane = null; // do not keep lanes of ranks that are gone
        }
    }

    /** Posts what was added before, and waits for it, unless the exchange is answered. It decides later verbs. */
    @Override
    protected void guardBegins(int index) {
        if (!answered(index)) {
            waitForAdded();
        }
    }

    private void waitForAdded() {
        postAdded(true);
        await();
        wordsWritten = 0;
    }

    @Override
    public boolean answered(int index) {
        return (unanswered >>> index & 1) == 0;
    }

    @Override
    public long result(int index) {
        return isSearch(index)
                ? decided(index)
                : ways.fromDevice(
                        head.bytes().get(JAVA_LONG, Objects.checkIndex(index, size.results()) * Layouts.WORD));
    }

    @Override
    public void post() {
        // First: if one rank cannot be reached, requests posted to other ranks are under way all the same.
        underWay = true;
        postAdded(true);
    }

    @Override
    public boolean poll() {
        boolean done = false;
        try {
            done = outstandingRequests.isDone();
            if (done) {
                noteAnswers();
            }
            return done;
        } catch (FabricException failure) {
            done = true;
            throw ways.named(failure);
        } finally {
            if (done) {
                finish();
            }
        }
    }

    private void await() {
        try {
            outstandingRequests.await();
            noteAnswers();
        } catch (FabricException failure) {
            throw ways.named(failure);
        }
    }

    /** All that was posted is answered. Of what was not posted, the words of results tell nothing. */
    private void noteAnswers() {
        unanswered = hasLost ? unanswered : 0;
    }

    @Override
    public void complete() {
        try {
            postAdded(true);
        } finally {
            try {
                await();
            } finally {
                finish();
            }
        }
    }

    private void finish() {
        underWay = false;
        forgetAtomics();
        wordsWritten = 0;
        hasLost = false;
    }

    /** Empties the batch for another use, once no verb uses its memory. Failures of its former verbs are dropped. */
    RdmaBatch emptied() {
        forgetAdded();
        outstandingRequests.settle();
        finish();
        return this;
    }

    @Override
    public void close() {
        if (growth != null && used != kept) {
            emptied();
            useKept();
            growth.giveBackLent();
        }
        release.run();
    }
}
