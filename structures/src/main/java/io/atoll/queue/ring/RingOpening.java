package io.atoll.queue.ring;

import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.util.function.Supplier;

/** How a circular queue is found by its name, or created. */
public final class RingOpening {

    /** The longest ring whose offsets still fit in a pointer. */
    private static final long MOST_ELEMENTS = 1L << 40;

    private final String name;
    private final String type;
    private final Slot slot;
    private final Supplier<Participant> participant;
    private long capacity = 1 << 16;
    private int host;

    /**
     * @param type of the elements, as their codec names it
     * @param bytes of an element
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

    public Handle<TicketRing> handle() {
        if (capacity < 1 || capacity > MOST_ELEMENTS) {
            throw new IllegalArgumentException("a queue holds 1 to " + MOST_ELEMENTS + " elements: queue=" + name
                    + " capacity=" + capacity);
        }
        if (slot.size > TicketRing.AREA_BYTES) {
            throw new IllegalArgumentException("elements do not fit into a slot: queue=" + name + " slotBytes="
                    + slot.size + " largestBytes=" + TicketRing.AREA_BYTES);
        }
        return handle(capacity, host);
    }

    private Handle<TicketRing> handle(long elements, int rank) {
        return new Handle<>(() -> open(participant.get(), elements, rank));
    }

    private TicketRing open(Participant self, long elements, int rank) {
        String configuration = "queue type=" + type + " capacity=" + elements;
        CircularBlock block = new CircularBlock(self.size(), slot, elements);
        long[] blocks = self.directory().openAt(rank, name, configuration, owner -> block.bytes(owner == rank));
        Announcements announcements = new Announcements(name, self, rank, blocks);
        announcements.register();
        return new TicketRing(name, self, block, rank, blocks[rank], announcements);
    }
}
