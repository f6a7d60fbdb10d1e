package io.atoll.queue;

import io.atoll.promise.PromiseWatch;
import io.atoll.promise.Use;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.Replacement;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Opens a circular queue: finds it by its name, or creates it. */
final class RingOpening {

    /** The longest ring whose offsets still fit in a pointer. */
    private static final long MOST_ELEMENTS = 1L << 40;

    private final String name;
    private final String type;
    private final Slot slot;
    private final Supplier<Participant> participant;
    private long capacity = 1 << 16;
    private int host;
    private OnLoss onLoss = OnLoss.FAIL;
    private @Nullable Function<Participant, PromiseWatch> watch;

    /**
     * @param type the name of the elements' type, as their codec gives it
     * @param bytes the bytes of an element
     */
    public RingOpening(String name, String type, long bytes, Supplier<Participant> participant) {
        this.name = name;
        this.type = type;
        this.slot = new Slot(bytes);
        this.participant = participant;
    }

    public String name() {
        return name;
    }

    public void capacity(long elements) {
        capacity = elements;
    }

    public void host(int rank) {
        host = rank;
    }

    public void onLoss(OnLoss becomes) {
        onLoss = becomes;
    }

    /** @see PromiseWatch#open */
    public void checkedPromises(Class<?> entrance, Use... uses) {
        watch = self -> PromiseWatch.open(self, name, List.of(entrance), uses);
    }

    public Handle<TicketQueue> handle() {
        long elements = checkCapacity(name, capacity);
        int rank = host;
        OnLoss becomes = onLoss;
        if (slot.size > TicketRing.AREA_BYTES) {
            throw new IllegalArgumentException("elements do not fit into a slot: queue=" + name + " slotBytes="
                    + slot.size + " largestBytes=" + TicketRing.AREA_BYTES);
        }
        return Handle.ofReplacedParts(name, participant, self -> open(self, elements, rank, becomes));
    }

    static long checkCapacity(String queue, long elements) {
        if (elements < 1 || elements > MOST_ELEMENTS) {
            throw new IllegalArgumentException("a queue holds 1 to " + MOST_ELEMENTS + " elements: queue=" + queue
                    + " capacity=" + elements);
        }
        return elements;
    }

    private TicketQueue open(Participant self, long elements, int rank, OnLoss becomes) {
        String configuration = "queue type=" + type + " capacity=" + elements;
        long bytesAtHome = QueueBlock.bytesAtHome(self.maxSize(), elements, slot);
        // Announcements say what the processes of their rank do. Those processes have ended when its segment is lost.
        long[] blocks = self.directory()
                .openAt(rank, name, configuration, owner -> owner == rank ? bytesAtHome : QueueBlock.bytes(), becomes,
                        Replacement.zeroed(owner -> owner != rank));
        Announcements announcements = new Announcements(name, self, blocks);
        RingBlock first = RingBlock.first(self.maxSize(), rank, blocks[rank] + QueueBlock.FIRST_RING, elements,
                slot);
        RingChain rings = new RingChain(name, self, first, blocks[rank] + QueueBlock.OLDEST, announcements,
                (block, drawn, popped) -> new TicketRing(name, self, block, announcements, drawn, popped));
        self.endpoint().structures().ask(rings);
        return new TicketQueue(name, rings, watch == null ? null : watch.apply(self));
    }
}
