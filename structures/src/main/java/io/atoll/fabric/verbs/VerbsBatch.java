package io.atoll.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import io.atoll.fabric.Batch;
import io.atoll.fabric.verbs.device.RegisteredMemory;
import io.atoll.fabric.verbs.link.Lane;
import io.atoll.fabric.verbs.link.Pending;
import io.atoll.fabric.verbs.provider.work.SendChain;
import io.atoll.fabric.verbs.provider.work.SendWorkRequest;
import io.atoll.failure.FabricException;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Verbs that are laid out as work requests while they are added, and posted as one chain for each rank. Its memory is registered:
 * <pre>
 *   0           512            512 + 8 slots
 *   +-----------+--------------+---------------//--
 *   |  results  |  words of    |     buffer
 *   |           |  writeWord   |
 *   +-----------+--------------+---------------//--
 * </pre>
 * When all slots are in use, what was added is posted and completed before more is added.
 */
final class VerbsBatch implements Batch {

    private static final long RESULTS_BYTES = ATOMICS * Layouts.WORD;

    private final VerbsFabric fabric;
    private final @Nullable Caller caller; // whose it is; null where any thread may use it
    private final Pending pending;
    private final @Nullable RegisteredMemory own;
    private final MemorySegment memory;
    private final long bufferStart;
    private final MemorySegment buffer;
    private final MappedMemory words;
    private final SendChain chain;
    private final Segment[] segments; // of the added, one for each lane
    private int segmentCount;
    private int added;
    private int atomics;
    private boolean underWay;

    /** The part of the chain that goes by one lane. */
    private static final class Segment {
        private Lane lane;
        private int first;
        private int last;
        private int count;
        private String verb;
        private long offset;
    }

    /** With memory of its own. */
    VerbsBatch(VerbsFabric fabric, int slots, long bufferBytes) {
        this.fabric = fabric;
        this.caller = null;
        this.pending = new Pending();
        this.own = fabric.memory().allocate(this, bytes(slots, bufferBytes), pending::settle);
        this.memory = own.bytes();
        this.bufferStart = bufferStart(slots);
        this.buffer = memory.asSlice(bufferStart);
        this.words = new MappedMemory(buffer);
        this.chain = new SendChain(Collections.nCopies(slots, template(own.key())));
        this.segments = segments(slots);
    }

    /**
     * With a part of what its thread has registered.
     *
     * @param pending where it notes what uses that memory
     */
    VerbsBatch(VerbsFabric fabric, Caller caller, int slots, MemorySegment memory, int key, Pending pending) {
        this.fabric = fabric;
        this.caller = caller;
        this.pending = pending;
        this.own = null;
        this.memory = memory;
        this.bufferStart = bufferStart(slots);
        this.buffer = memory.asSlice(bufferStart);
        this.words = new MappedMemory(buffer);
        this.chain = new SendChain(Collections.nCopies(slots, template(key)));
        this.segments = segments(slots);
    }

    /** The memory that a batch takes. */
    static long bytes(int slots, long bufferBytes) {
        return bufferStart(slots) + Layouts.roundUp(bufferBytes, Layouts.CACHE_LINE);
    }

    private static long bufferStart(int slots) {
        return Layouts.roundUp(RESULTS_BYTES + slots * Layouts.WORD, Layouts.CACHE_LINE);
    }

    private static Segment[] segments(int slots) {
        Segment[] segments = new Segment[slots];
        Arrays.setAll(segments, index -> new Segment());
        return segments;
    }

    private static IbvSendWR template(int key) {
        IbvSge element = new IbvSge();
        element.setLkey(key);
        IbvSendWR request = new IbvSendWR();
        request.setOpcode(IbvSendWR.IBV_WR_RDMA_READ);
        request.setSg_list(new LinkedList<>(List.of(element)));
        return request;
    }

    @Override
    public MemorySegment buffer() {
        return buffer;
    }

    @Override
    public LocalMemory memory() {
        return words;
    }

    @Override
    public long word(long position) {
        return buffer.get(JAVA_LONG, position);
    }

    @Override
    public void setWord(long position, long value) {
        buffer.set(JAVA_LONG, position, value);
    }

    @Override
    public void read(int rank, long offset, long position, long bytes) {
        Objects.checkFromIndexSize(position, bytes, buffer.byteSize());
        move(IbvSendWR.IBV_WR_RDMA_READ, "read", rank, offset, bufferStart + position, bytes);
    }

    @Override
    public void write(int rank, long offset, long position, long bytes) {
        Objects.checkFromIndexSize(position, bytes, buffer.byteSize());
        move(IbvSendWR.IBV_WR_RDMA_WRITE, "write", rank, offset, bufferStart + position, bytes);
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        Lane lane = lane(rank, "write", offset, Long.BYTES);
        makeRoom();
        long position = RESULTS_BYTES + added * Layouts.WORD;
        memory.set(JAVA_LONG, position, value);
        move(lane, IbvSendWR.IBV_WR_RDMA_WRITE, "write", offset, position, Long.BYTES);
    }

    private Lane lane(int rank, String verb, long offset, long bytes) {
        return fabric.lane(caller == null ? fabric.caller() : caller, rank, verb, offset, bytes);
    }

    private void move(int opcode, String verb, int rank, long offset, long position, long bytes) {
        move(lane(rank, verb, offset, bytes), opcode, verb, offset, position, bytes);
    }

    private void move(Lane lane, int opcode, String verb, long offset, long position, long bytes) {
        if (bytes == 0) {
            return;
        }
        SendWorkRequest request = add(lane, opcode, verb, offset, position, bytes);
        request.getRdmaMod().setRemote_addr(lane.remote().address() + offset);
        request.getRdmaMod().setRkey(lane.remote().key());
    }

    @Override
    public int compareAndExchange(int rank, long offset, long expected, long value) {
        return update(IbvSendWR.IBV_WR_ATOMIC_CMP_AND_SWP, "compareAndExchange", rank, offset, expected, value);
    }

    @Override
    public int getAndAdd(int rank, long offset, long delta) {
        return update(IbvSendWR.IBV_WR_ATOMIC_FETCH_AND_ADD, "getAndAdd", rank, offset, delta, 0);
    }

    private int update(int opcode, String verb, int rank, long offset, long expectedOrDelta, long value) {
        Lane lane = lane(rank, verb, offset, Long.BYTES);
        if (atomics == ATOMICS) {
            throw new IllegalStateException("too many atomics in one batch: maximum=" + ATOMICS);
        }
        SendWorkRequest.Atomic atomic = add(lane, opcode, verb, offset, atomics * Layouts.WORD, Long.BYTES)
                .getAtomicMod();
        atomic.setRemote_addr(lane.remote().address() + offset);
        atomic.setRkey(lane.remote().key());
        atomic.setCompare_add(expectedOrDelta);
        atomic.setSwap(value);
        return atomics++;
    }

    /** @param position in the memory as a whole */
    private SendWorkRequest add(Lane lane, int opcode, String verb, long offset, long position, long bytes) {
        makeRoom();
        int slot = added++;
        SendWorkRequest request = chain.request(slot);
        request.setOpcode(opcode);
        request.getSgeMod(0).setAddr(memory.address() + position);
        request.getSgeMod(0).setLength(Math.toIntExact(bytes));
        append(lane, slot, verb, offset);
        return request;
    }

    private void makeRoom() {
        if (underWay) {
            throw new IllegalStateException("posted and not completed: added=" + added);
        }
        if (added == chain.size()) {
            postAdded(true);
            await();
        }
    }

    private void append(Lane lane, int slot, String verb, long offset) {
        Segment segment = segment(lane);
        if (segment.count == 0) {
            segment.first = slot;
        } else {
            chain.link(segment.last, slot);
        }
        chain.end(slot);
        segment.last = slot;
        segment.count++;
        segment.verb = verb;
        segment.offset = offset;
    }

    private Segment segment(Lane lane) {
        for (int index = 0; index < segmentCount; index++) {
            if (segments[index].lane == lane) {
                return segments[index];
            }
        }
        Segment segment = segments[segmentCount++];
        segment.lane = lane;
        segment.count = 0;
        return segment;
    }

    /** Posts what was added. A lane that is broken keeps nothing from being posted to the others. */
    void postAdded(boolean awaited) {
        RuntimeException failure = null;
        for (int index = 0; index < segmentCount; index++) {
            Segment segment = segments[index];
            try {
                long number = segment.lane.post(chain, segment.first, segment.last, segment.count, awaited,
                        segment.verb,
                        segment.offset);
                pending.add(segment.lane, number, segment.verb, segment.offset);
            } catch (RuntimeException broken) {
                failure = failure == null ? broken : failure;
            }
        }
        forgetAdded();
        if (failure != null) {
            throw failure instanceof FabricException access ? fabric.named(access) : failure;
        }
    }

    private void forgetAdded() {
        segmentCount = 0;
        added = 0;
    }

    @Override
    public long result(int index) {
        return fabric.fromDevice(memory.get(JAVA_LONG, Objects.checkIndex(index, ATOMICS) * Layouts.WORD));
    }

    @Override
    public void post() {
        postAdded(true);
        underWay = true;
    }

    @Override
    public boolean poll() {
        boolean done = true;
        try {
            done = pending.isDone();
            return done;
        } catch (FabricException failure) {
            throw fabric.named(failure);
        } finally {
            if (done) {
                finish();
            }
        }
    }

    private void await() {
        try {
            pending.await();
        } catch (FabricException failure) {
            throw fabric.named(failure);
        }
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
        atomics = 0;
    }

    /** Empties it for another use, when nothing uses its memory any more. What went wrong concerns nobody. */
    VerbsBatch emptied() {
        forgetAdded();
        pending.settle();
        finish();
        return this;
    }

    @Override
    public void close() {
        if (own != null) {
            forgetAdded();
            own.close();
        }
    }
}
