package io.atoll.map;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Stores the {@link Payload}s of a map. Each lies in the heap of the rank that has its bucket. It stays there from when
 * it is stored until no thread can be reading it any more.
 */
class Payloads {

    /** After this many retirements an operation tries to free some, because no other thread may be doing so. */
    private static final int RECLAIM_EVERY = 256;

    /**
     * The epoch advances by one under each pin. It advances by two until a bag is freed. It advances by three until a
     * chain is freed, which is sealed after the first advance, or a run. One more is for another thread that is in the
     * way for a moment.
     */
    private static final int RENEWALS = 4;

    private final String map;
    private final Participant self;
    private final Endpoint endpoint;
    private final Heap heap;
    private final EpochManager epochs;
    private final AtomicInteger retirements = new AtomicInteger();

    /** @param map its name, for failures */
    public Payloads(String map, Participant participant, EpochManager epochs) {
        this(map, participant, participant.endpoint(), epochs);
    }

    private Payloads(String map, Participant participant, Endpoint endpoint, EpochManager epochs) {
        this.map = map;
        this.self = participant;
        this.endpoint = endpoint;
        this.heap = participant.heap();
        this.epochs = epochs;
    }

    /** Returns these payloads for a thread that is alone with those of this rank. */
    public final Payloads alone() {
        return new Payloads(map, self, endpoint.alone(), epochs);
    }

    /** Reclaims if many payloads were retired. To be called when the operation with that token has ended. */
    public void reclaimIfMany(@Nullable Token token) {
        if (retirements.get() >= RECLAIM_EVERY && token != null && !token.isPinned()) {
            retirements.set(0);
            epochs.reclaimByTheWay(null);
        }
    }

    /**
     * Puts a payload where no reader finds it yet. It has arrived when the next atomic of this thread to the owner has
     * returned. Cost: 2 W, not waited for, and what else {@link Heap#allocate} takes.
     *
     * @param token the caller is pinned with it
     * @throws io.atoll.failure.SegmentFullException if there is no room; then nothing is stored
     */
    public long store(Token token, int owner, Payload payload) {
        long reference = allocate(owner, payload);
        try {
            write(owner, PayloadReference.offset(reference), payload.words());
            return reference;
        } catch (FabricException failure) {
            retireAfter(failure, token, owner, reference);
            throw named(failure);
        } catch (RuntimeException | Error failure) {
            discardAfter(failure, owner, reference);
            throw failure;
        }
    }

    /** Returns a reference to memory for the payload, which is not written. Cost and failures: as {@link #store}. */
    public long allocate(int owner, Payload payload) {
        try {
            return PayloadReference.of(heap.allocate(owner, payload.bytes()), payload.bytes(), payload.hasSeveral());
        } catch (FabricException failure) {
            throw named(failure);
        }
    }

    /**
     * Gives each of these values a reference to memory for its payload, which is not written. After a failure, those
     * that have one keep it. Uses the thread's batch. Cost: as {@link Heap#allocate(int, long[], long[])}.
     *
     * @throws io.atoll.failure.SegmentFullException if there is no room for all of them
     */
    public void allocate(int owner, List<? extends PayloadPut<?>> several) {
        List<Payload> payloads = several.stream().map(put -> Objects.requireNonNull(put.payload)).toList();
        long[] offsets = new long[payloads.size()];
        try {
            heap.allocate(owner, payloads.stream().mapToLong(Payload::bytes).toArray(), offsets);
        } catch (FabricException failure) {
            throw named(failure);
        } finally {
            for (int index = 0; index < offsets.length; index++) {
                if (offsets[index] != 0) {
                    Payload payload = payloads.get(index);
                    several.get(index).reference = PayloadReference.of(offsets[index], payload.bytes(),
                            payload.hasSeveral());
                }
            }
        }
    }

    /**
     * Writes a payload together with others. If the buffer has no room for it, it is written at once.
     *
     * @param at the position behind what is in the buffer
     * @return the position behind what is in the buffer then
     */
    public long write(Batch batch, int owner, long reference, Payload payload, long at) {
        long offset = PayloadReference.offset(reference);
        int bytes = payload.bytes();
        try {
            if (at + bytes > Batch.THREAD_BUFFER_BYTES) {
                write(owner, offset, payload.words());
                return at;
            }
            MemorySegment.copy(payload.words(), 0, batch.buffer(), at, bytes);
            batch.write(owner, offset, at, bytes);
            return at + bytes;
        } catch (FabricException failure) {
            throw named(failure);
        }
    }

    /** Names the map in a failure, because the fabric knows no structure for objects of the heap. */
    private FabricException named(FabricException failure) {
        return failure.in(endpoint.structures().named(map));
    }

    protected void write(int owner, long offset, MemorySegment words) {
        endpoint.write(owner, offset, words, 0, words.byteSize());
    }

    /** Reads a payload. Cost: R. */
    public Payload read(int owner, long reference) {
        int bytes = PayloadReference.bytes(reference);
        MemorySegment words = MemorySegment.ofArray(new long[(int) (bytes / Layouts.WORD)]);
        try {
            endpoint.read(owner, PayloadReference.offset(reference), words, 0, bytes);
        } catch (FabricException failure) {
            throw named(failure);
        }
        return new Payload(words);
    }

    /**
     * As {@link #read}, for several payloads. Those of lost owners are null. Cost: R for each, in one round trip for
     * each 32 KiB, whatever ranks they are at.
     */
    public @Nullable Payload[] readAll(List<Located> several, LostOwners lost) {
        @Nullable Payload[] payloads = new Payload[several.size()];
        for (int index = 0; index < payloads.length; index++) {
            Located each = several.get(index);
            if (endpoint.executesAtOnce(each.owner) || each.bytes() > Batch.THREAD_BUFFER_BYTES) {
                readAlone(each, payloads, index, lost);
            }
        }
        int next = 0;
        while (next < payloads.length) {
            next = readSome(several, payloads, next, lost);
        }
        return payloads;
    }

    private void readAlone(Located payload, @Nullable Payload[] payloads, int index, LostOwners lost) {
        lost.run(payload.owner, () -> payloads[index] = read(payload.owner, payload.reference));
    }

    /** A reference, with the rank in whose heap the payload lies. */
    public record Located(int owner, long reference) {

        private int bytes() {
            return PayloadReference.bytes(reference);
        }
    }

    /** Reads as many of the missing payloads as a batch's buffer holds. Returns the first that it has not read. */
    private int readSome(List<Located> several, @Nullable Payload[] payloads, int first, LostOwners lost) {
        try (Batch batch = endpoint.batch()) {
            int behind = first;
            for (long position = 0; behind < payloads.length; behind++) {
                Located each = several.get(behind);
                if (payloads[behind] == null && !lost.has(each.owner)) {
                    if (position + each.bytes() > Batch.THREAD_BUFFER_BYTES) {
                        break;
                    }
                    batch.read(each.owner, PayloadReference.offset(each.reference), position, each.bytes());
                    position += each.bytes();
                }
            }
            batch.complete();
            long position = 0;
            for (int index = first; index < behind; index++) {
                int bytes = several.get(index).bytes();
                if (payloads[index] == null && !lost.has(several.get(index).owner)) {
                    payloads[index] = new Payload(
                            MemorySegment.ofArray(batch.buffer().asSlice(position, bytes).toArray(JAVA_LONG)));
                    position += bytes;
                }
            }
            return behind;
        } catch (RankUnreachableException failure) {
            named(failure);
            if (!lost.add(failure.rank(), failure)) {
                throw failure;
            }
            return first;
        } catch (FabricException failure) {
            throw named(failure);
        }
    }

    /**
     * Frees payloads that no thread can be reading any more. The caller is not pinned, and finds no room at the owner.
     * Returns true if that freed any.
     */
    public boolean relieve(int owner) {
        return epochs.relieve(owner);
    }

    /** As {@link #relieve(int)}, for a caller that is pinned and does not need what it has found. */
    public boolean relieve(int owner, Token token) {
        for (int turn = 0; turn < RENEWALS && token.renew(); turn++) {
            if (epochs.relieve()) {
                return true;
            }
        }
        return epochs.relieve(owner, token);
    }

    /** Gives back a payload that no reader has ever found. */
    public void discard(int owner, long reference) {
        try {
            heap.free(owner, PayloadReference.offset(reference));
        } catch (FabricException failure) {
            throw named(failure);
        }
    }

    /** As {@link #discard}, for several payloads. Cost: as {@link Heap#free(int, long[])}. */
    public void discard(int owner, long[] offsets) {
        try {
            heap.free(owner, offsets);
        } catch (FabricException failure) {
            throw named(failure);
        }
    }

    /** As {@link #discard}, after a failure. That failure is still the one that is thrown; the payload may be lost. */
    void discardAfter(Throwable failure, int owner, long reference) {
        try {
            discard(owner, reference);
        } catch (FabricException | Error lost) {
            if (lost != failure) {
                failure.addSuppressed(lost);
            }
        }
    }

    /**
     * As {@link #discardAfter}, for a payload that a write may still reach, since a connection broke. Nobody gets its
     * memory before: the pin lasts as long as the write may arrive. Nothing is retired in a segment that is lost: in
     * the new one, another object lies in that place.
     */
    void retireAfter(Throwable failure, Token token, int owner, long reference) {
        try {
            if (!self.latest().lostSince(self).contains(owner)) {
                retireReplaced(token, owner, reference);
            }
        } catch (FabricException | Error lost) {
            if (lost != failure) {
                failure.addSuppressed(lost);
            }
        }
    }

    /**
     * Retires what a bucket referred to before a change that has taken effect. If an error prevents that, it is tried
     * once more.
     */
    public void retireReplaced(Token token, int owner, long former) {
        for (int attempt = 0; attempt < 2; attempt++) {
            try {
                retire(token, owner, former);
                return;
            } catch (VirtualMachineError | LinkageError error) {
                Aftermath.warn("what an entry was before is retired in a second attempt, or lost", error);
            }
        }
    }

    /** Gives back a payload that no reader finds any more. */
    public void retire(Token token, int owner, long reference) {
        try {
            token.retire(new GlobalPointer(owner, PayloadReference.offset(reference)).toWord(),
                    PayloadReference.bytes(reference));
        } catch (FabricException failure) {
            throw named(failure);
        }
        retirements.incrementAndGet();
    }
}
