package io.atoll.queue;

import io.atoll.codec.Codec;
import io.atoll.promise.PromiseWatch;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.Replacement;
import io.atoll.world.StructureBuilder;
import java.util.List;
import java.util.function.Supplier;

/** The configuration that a circular queue is opened with. */
abstract class RingBuilder<T, S, B extends RingBuilder<T, S, B>> extends StructureBuilder<S, B> {

    /** The longest ring whose offsets still fit in a pointer. */
    private static final long MOST_ELEMENTS = 1L << 40;

    final Codec<T> codec;
    private final Class<?> entrance;
    private final Slot slot;
    private long capacity = 1 << 16;
    private boolean checked;

    /** @param entrance the class through which callers come in */
    RingBuilder(String name, Codec<T> elements, Supplier<Participant> participant, Class<?> entrance) {
        super(name, participant);
        this.codec = elements.within(name);
        this.entrance = entrance;
        this.slot = new Slot(codec.bytes());
    }

    /** Sets how many elements it can hold. Defaults to 65,536. */
    public B capacity(long elements) {
        capacity = elements;
        return self();
    }

    /** Sets the rank in whose segment it lies. Defaults to 0. */
    @Override
    public B host(int rank) {
        return super.host(rank);
    }

    /**
     * Sets what becomes of the queue when its host loses its segment. By default, operations fail with a {@link
     * io.atoll.failure.SegmentLostException}, and the queue cannot be opened any more. With {@link OnLoss#EMPTY} it
     * begins empty. It goes on as it is when any other rank loses its segment.
     */
    @Override
    public B onLoss(OnLoss becomes) {
        return super.onLoss(becomes);
    }

    /**
     * Watches over promises. An operation may break what the caller of another one, between the same two barriers, has
     * promised. Then one of the two fails with a {@link io.atoll.promise.BrokenPromiseException} that names both
     * callers. For tests and trials. All ranks must ask for it: the operations of others are not seen. Cost: the first
     * operation of a kind after a barrier 2 W + R for each rank more, all others nothing.
     */
    public B checkedPromises() {
        checked = true;
        return self();
    }

    /** Returns a handle of the queue as it is configured by now. */
    final Handle<RingChainQueue> handle() {
        long elements = checkCapacity(name(), capacity);
        int rank = host();
        OnLoss becomes = onLoss();
        boolean watches = checked;
        if (slot.size > Ring.AREA_BYTES) {
            throw new IllegalArgumentException("elements do not fit into a slot: queue=" + name() + " slotBytes="
                    + slot.size + " largestBytes=" + Ring.AREA_BYTES);
        }
        return handleOfReplacedParts(self -> open(self, elements, rank, becomes, watches));
    }

    static long checkCapacity(String queue, long elements) {
        if (elements < 1 || elements > MOST_ELEMENTS) {
            throw new IllegalArgumentException("a queue holds 1 to " + MOST_ELEMENTS + " elements: queue=" + queue
                    + " capacity=" + elements);
        }
        return elements;
    }

    private RingChainQueue open(Participant self, long elements, int rank, OnLoss becomes, boolean watches) {
        String name = name();
        String configuration = "queue type=" + codec.name() + " capacity=" + elements;
        long bytesAtHome = QueueBlock.bytesAtHome(self.maxSize(), elements, slot);
        // Announcements say what the processes of their rank do. Those processes have ended when its segment is lost.
        long[] blocks = self.directory()
                .openAt(rank, name, configuration, owner -> owner == rank ? bytesAtHome : QueueBlock.bytes(), becomes,
                        Replacement.zeroed(owner -> owner != rank));
        PushAnnouncements pushAnnouncements = new PushAnnouncements(name, self, blocks);
        RingBlock first = RingBlock.first(self.maxSize(), rank, blocks[rank] + QueueBlock.FIRST_RING, elements,
                slot);
        RingChain rings = new RingChain(name, self, first, blocks[rank] + QueueBlock.OLDEST, pushAnnouncements,
                (block, drawn, popped) -> new Ring(name, self, block, pushAnnouncements, drawn, popped));
        self.endpoint().structures().ask(rings);
        return new RingChainQueue(name, rings,
                watches ? PromiseWatch.open(self, name, List.of(entrance), QueuePromises.values()) : null);
    }
}
