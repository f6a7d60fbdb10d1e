package io.atoll.fabric.tcp;

import io.atoll.fabric.GuardedBatch;
import io.atoll.fabric.ThreadBuffer;
import io.atoll.fabric.link.PeerConnections;
import io.atoll.fabric.link.ThreadLanes;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Verbs that are posted together, as one frame for each lane if they fit. Verbs to a rank whose memory is mapped here
 * are executed when they are added. The owner searches, and decides if a guarded verb is executed. If its frame has no
 * room for the verb, the batch waits until the guard is answered, and decides itself.
 *
 * <p>The buffer of a thread's own batch is small until more of it is used; see {@link ThreadBuffer}.
 */
final class TcpBatch extends GuardedBatch {

    /** What is known of an atomic takes 28 bytes of Java's heap, once a thread has had so many in a batch. */
    private static final int MOST_ATOMICS = 256 + ATOMICS;

    private final TcpNetwork network;
    private final Supplier<ThreadLanes<TcpLane>> lanes; // of the thread that uses the batch
    private final VerbList verbs = new VerbList(ATOMICS);
    private final @Nullable ThreadBuffer own; // null unless this is a thread's own batch
    // The lane that the last verb went to, its rank, and the thread that added it; null in an empty batch.
    private @Nullable TcpLane latest;
    private @Nullable Thread user;
    private int latestRank;
    private boolean stored; // true after a store to memory that is mapped here
    private boolean underWay;

    private TcpBatch(TcpNetwork network, Supplier<ThreadLanes<TcpLane>> lanes, @Nullable ThreadBuffer own,
            MemorySegment buffer) {
        super(buffer, new MappedMemory(buffer));
        this.network = network;
        this.lanes = lanes;
        this.own = own;
        verbs.use(buffer);
    }

    /**
     * Creates the calling thread's own batch.
     *
     * @param lanes of the calling thread
     */
    static TcpBatch ofThread(TcpNetwork network, ThreadLanes<TcpLane> lanes) {
        ThreadBuffer own = new ThreadBuffer(Thread.currentThread());
        TcpBatch batch = new TcpBatch(network, () -> lanes, own, own.small());
        // A lane refers to the list as long as an answer may come, and the batch always does.
        own.returnAfter(batch.verbs);
        return batch;
    }

    /**
     * Creates a batch with a buffer of its own.
     *
     * @param lanes returns the lanes of the thread that calls it
     */
    static TcpBatch ofItsOwn(TcpNetwork network, Supplier<ThreadLanes<TcpLane>> lanes, long bufferBytes) {
        return new TcpBatch(network, lanes, null, Arena.ofAuto().allocate(bufferBytes, Layouts.CACHE_LINE));
    }

    // --- the buffer ---

    @Override
    protected void grow() {
        if (own != null && bufferBytes() == SMALL_BUFFER_BYTES) {
            refuseIfUnderWay();
            use(own.grow());
        }
    }

    /** Uses another buffer. Everything added keeps its position, and its content is copied. */
    private void use(MemorySegment other) {
        use(other, new MappedMemory(other));
        verbs.use(other);
    }

    // --- verbs ---

    @Override
    public int mostAtomics() {
        return MOST_ATOMICS;
    }

    @Override
    public void read(int rank, long offset, long position, long bytes) {
        prepare(position, bytes);
        LocalMemory near = network.near(rank);
        if (near == null) {
            TcpLane lane = lane(rank, "read", offset, bytes);
            if (isWanted(rank, lane, Frame.READ, bytes, 0)) {
                verbs.move(lane, Frame.READ, "read", moved(offset), position, bytes);
            }
        } else if (isWantedNear(rank)) {
            completeStores();
            near.load(moved(offset), presentBuffer(), position, bytes);
        }
    }

    @Override
    public void readRecords(int rank, long offset, long stride, int count, long position) {
        if (network.near(rank) != null) {
            super.readRecords(rank, offset, stride, count, position);
            return;
        }
        checkRecords(stride, count, position);
        long bytes = stride * count;
        TcpLane lane = lane(rank, "readRecords", offset, bytes);
        if (isWanted(rank, lane, Frame.READ_RECORDS, bytes, count)) {
            verbs.readRecords(lane, moved(offset), (int) bytes, position, count);
        }
    }

    @Override
    public void write(int rank, long offset, long position, long bytes) {
        prepare(position, bytes);
        LocalMemory near = network.near(rank);
        if (near == null) {
            TcpLane lane = lane(rank, "write", offset, bytes);
            if (isWanted(rank, lane, Frame.WRITE, bytes, 0)) {
                verbs.move(lane, Frame.WRITE, "write", moved(offset), position, bytes);
            }
        } else if (isWantedNear(rank)) {
            stored = true;
            near.store(moved(offset), presentBuffer(), position, bytes);
        }
    }

    @Override
    public void writeBeside(int rank, long offset, long position, long bytes, int bit) {
        checkBeside(bit);
        prepare(position, bytes);
        long both = 2 * bytes;
        boolean isVerb = both <= Frame.MAXIMUM_LENGTH && bytes % Layouts.WORD == 0; // else a write, or refused as one
        if (isVerb && network.near(rank) == null) {
            TcpLane lane = lane(rank, "writeBeside", offset, both);
            if (isOwnersDecision(rank, lane, Frame.WRITE_BESIDE, both, bit)) {
                verbs.writeBeside(lane, moved(offset), (int) both, position, bit);
                return;
            }
        }
        awaitGuard(rank);
        super.writeBeside(rank, offset, position, bytes, bit);
    }

    private void prepare(long position, long bytes) {
        refuseIfUnderWay();
        reserve(position + bytes);
        Objects.checkFromIndexSize(position, bytes, bufferBytes());
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        refuseIfUnderWay();
        LocalMemory near = network.near(rank);
        if (near == null) {
            TcpLane lane = lane(rank, "write", offset, Long.BYTES);
            if (isWanted(rank, lane, Frame.WRITE, Long.BYTES, 0)) {
                verbs.writeWord(lane, moved(offset), value);
            }
        } else if (isWantedNear(rank)) {
            stored = true;
            near.setRelease(moved(offset), value);
        }
    }

    @Override
    public int compareAndExchange(int rank, long offset, long expected, long value) {
        refuseIfUnderWay();
        int index = nextResult();
        LocalMemory near = network.near(rank);
        if (near == null) {
            update(rank, Frame.COMPARE_AND_EXCHANGE, "compareAndExchange", offset, index, expected, value);
        } else {
            verbs.setResult(index, isWantedNear(rank) ? near.compareAndExchange(moved(offset), expected, value) : 0);
        }
        return rememberExchange(index, rank, expected);
    }

    @Override
    public int getAndAdd(int rank, long offset, long delta) {
        refuseIfUnderWay();
        int index = nextResult();
        LocalMemory near = network.near(rank);
        if (near == null) {
            update(rank, Frame.GET_AND_ADD, "getAndAdd", offset, index, delta, 0);
        } else {
            verbs.setResult(index, isWantedNear(rank) ? near.getAndAdd(moved(offset), delta) : 0);
        }
        return remember(index);
    }

    @Override
    public int getAndBitwiseOr(int rank, long offset, long bits) {
        refuseIfUnderWay();
        int index = nextResult();
        LocalMemory near = network.near(rank);
        if (near == null) {
            update(rank, Frame.GET_AND_BITWISE_OR, "getAndBitwiseOr", offset, index, bits, 0);
        } else {
            verbs.setResult(index, isWantedNear(rank) ? near.getAndBitwiseOr(moved(offset), bits) : 0);
        }
        return remember(index);
    }

    private int nextResult() {
        int index = nextIndex();
        verbs.makeRoomForResult(index);
        return index;
    }

    private void update(int rank, byte kind, String verb, long offset, int index, long operand, long second) {
        TcpLane lane = lane(rank, verb, offset, Long.BYTES);
        if (isWanted(rank, lane, kind, Long.BYTES, 0)) {
            verbs.update(lane, kind, verb, moved(offset), index, operand, second);
        } else {
            verbs.setResult(index, 0);
        }
    }

    @Override
    protected void addSearch(int index, int rank, long offset, long bytes, long stride, long position, int tests) {
        verbs.makeRoomForResult(index);
        LocalMemory near = network.near(rank);
        if (near == null) {
            TcpLane lane = lane(rank, "search", offset, bytes);
            if (isWanted(rank, lane, Frame.SEARCH, bytes, tests)) {
                verbs.search(lane, moved(offset), Math.toIntExact(bytes), index, stride, position, tests);
                return;
            }
            decideNothing(index);
        } else if (isWantedNear(rank)) {
            completeStores();
            decide(index, near, moved(offset), bytes, stride, position, tests);
        } else {
            decideNothing(index);
        }
        verbs.setFound(index, decided(index), super.foundAt(index));
    }

    @Override
    public int exchangeFound(int rank, long offset, long keep, long addend) {
        int search = searchThatGuards();
        if (network.near(rank) == null) {
            TcpLane lane = lane(rank, "exchangeFound", offset, Long.BYTES);
            int index = nextResult();
            if (isOwnersDecision(rank, lane, Frame.EXCHANGE_FOUND, Long.BYTES, 0)) {
                verbs.exchangeFound(lane, moved(offset), index, search, keep, addend);
                return rememberExchangeFound(index, rank);
            }
        }
        awaitGuard(rank);
        return super.exchangeFound(rank, offset, keep, addend);
    }

    /** Asks for a lane only if the verb before did not go to the same one: a batch may have hundreds of verbs. */
    private TcpLane lane(int rank, String verb, long offset, long bytes) {
        long reached = bytes + reach();
        TcpLane known = latest;
        if (known != null && latestRank == rank && user == Thread.currentThread() && known.isUsable()) {
            PeerConnections.requireWords(known, offset, reached);
            return known;
        }
        TcpLane found = network.lane(lanes.get(), rank, verb, offset, reached);
        latest = found;
        latestRank = rank;
        user = Thread.currentThread();
        return found;
    }

    @Override
    protected void refuseIfUnderWay() {
        if (underWay) {
            throw new IllegalStateException("posted and not completed: rank=" + network.peerConnections().rank());
        }
    }

    // --- guards ---

    @Override
    protected void guardBegins(int index) {
        // It is decided by the owner, or when a verb is added that the owner cannot decide.
    }

    @Override
    public boolean answered(int index) {
        return verbs.isAnswered(index);
    }

    /** Returns false if the verb must be skipped. If the owner is to decide that, the next verb gets the guard. */
    private boolean isWanted(int rank, TcpLane lane, byte kind, long bytes, int number) {
        return isOwnersDecision(rank, lane, kind, bytes, number) || isWantedNear(rank);
    }

    /**
     * Returns true if the verb is guarded and the owner is to decide if it is skipped. Then the next verb gets the
     * guard.
     */
    private boolean isOwnersDecision(int rank, TcpLane lane, byte kind, long bytes, int number) {
        verbs.unguard();
        return isGuarded(rank) && !answered(guardIndex()) && verbs.guard(lane, guardIndex(), kind, bytes, number);
    }

    /** Returns false if the verb must be skipped. Waits until its guard is answered, and decides here. */
    private boolean isWantedNear(int rank) {
        awaitGuard(rank);
        return !isSkipped(rank);
    }

    private void awaitGuard(int rank) {
        if (isGuarded(rank) && !answered(guardIndex())) {
            completeStores();
            completeAdded();
        }
    }

    @Override
    protected int foundAt(int index) {
        return verbs.displacement(index);
    }

    @Override
    public long result(int index) {
        return verbs.result(index);
    }

    // --- completing ---

    @Override
    public void post() {
        completeStores();
        underWay = true;
        try {
            verbs.post();
        } catch (RankUnreachableException failure) {
            throw network.named(failure);
        }
    }

    @Override
    public boolean poll() {
        boolean done = false;
        try {
            done = verbs.isDone();
            return done;
        } catch (RankUnreachableException failure) {
            done = true;
            throw network.named(failure);
        } finally {
            if (done) {
                finish();
            }
        }
    }

    @Override
    public void complete() {
        completeStores();
        try {
            completeAdded();
        } finally {
            finish();
        }
    }

    private void completeAdded() {
        try {
            verbs.complete();
        } catch (RankUnreachableException failure) {
            throw network.named(failure);
        }
    }

    /** A store may still wait in this processor, and a later load of the thread would overtake it. */
    private void completeStores() {
        if (stored) {
            memory(0).fullFence();
            stored = false;
        }
    }

    private void finish() {
        underWay = false;
        latest = null;
        user = null;
        forgetAtomics();
    }

    /** Empties the batch for another use, once no verb uses its memory. Failures of its former verbs are dropped. */
    TcpBatch emptied() {
        verbs.emptied();
        finish();
        return this;
    }

    @Override
    public void close() {
        if (own != null && bufferBytes() > SMALL_BUFFER_BYTES) {
            emptied();
            if (own.shrinks()) {
                use(own.small());
            }
        }
    }
}
