package io.atoll.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Records what the ranks of a simulated world hold of one segment's heap. The test keeps it beside the heap, and sees
 * everything. Fails if something is handed out that a rank may still have.
 */
final class Ledger {

    enum State {
        /** Known to its holder alone: free if the holder dies. */
        HELD,
        /** About to be published: if its holder dies, it may be published or not. */
        PUBLISHING,
        /** Stays, even if the holder dies. */
        PUBLISHED,
        /** Being freed: any rank may get it as soon as the heap hands it out. */
        GIVEN_BACK
    }

    static final class Entry {

        final long offset;
        final long bytes;
        private SimRank holder; // in the end, the rank that gave it back
        private State state = State.HELD;

        private Entry(long offset, long bytes, SimRank holder) {
            this.offset = offset;
            this.bytes = bytes;
            this.holder = holder;
        }

        void publishing() {
            state = State.PUBLISHING;
        }

        /** Unless a rank that found it published has given it back already. */
        void published() {
            if (state == State.PUBLISHING) {
                state = State.PUBLISHED;
            }
        }

        void givenBackBy(SimRank rank) {
            state = State.GIVEN_BACK;
            holder = rank;
        }

        State state() {
            return state;
        }

        @Override
        public String toString() {
            return state + " " + offset + " (" + bytes + " bytes) of " + holder;
        }
    }

    private final Simulation simulation;
    private final int target;
    private final TreeMap<Long, Entry> entries = new TreeMap<>();

    Ledger(Simulation simulation, int target) {
        this.simulation = simulation;
        this.target = target;
    }

    /** Records that the rank was given these bytes. */
    Entry taken(SimRank holder, long offset, long bytes) {
        for (Entry before : overlapping(offset, bytes)) {
            assertThat(before).as("taken by %s: %d (%d bytes)", holder, offset, bytes)
                    .matches(this::mayBeGone, "may be gone");
            entries.remove(before.offset);
        }
        var entry = new Entry(offset, bytes, holder);
        entries.put(offset, entry);
        return entry;
    }

    private List<Entry> overlapping(long offset, long bytes) {
        var before = entries.lowerEntry(offset);
        List<Entry> overlapping = new ArrayList<>(entries.subMap(offset, offset + bytes).values());
        if (before != null && before.getValue().offset + before.getValue().bytes > offset) {
            overlapping.add(before.getValue());
        }
        return overlapping;
    }

    private boolean mayBeGone(Entry entry) {
        return switch (entry.state) {
            case HELD, PUBLISHING -> isOfTheDead(entry);
            case PUBLISHED -> false;
            case GIVEN_BACK -> true;
        };
    }

    /**
     * Returns true if the heap may count the entry as in use: it is published, or a rank has died while it published or
     * freed it.
     */
    boolean mayBeInUse(Entry entry) {
        return entry.state == State.PUBLISHED || entry.state != State.HELD && isOfTheDead(entry);
    }

    private boolean isOfTheDead(Entry entry) {
        return simulation.isFenced(entry.holder.rank(), entry.holder.incarnation(), target);
    }

    /** Records that the entry was given back. */
    void gone(Entry entry) {
        entries.remove(entry.offset, entry);
    }

    /** Returns the entry that begins there. */
    Entry at(long offset) {
        assertThat(entries).as("in use in segment %d", target).containsKey(offset);
        return entries.get(offset);
    }

    List<Entry> published() {
        return entries.values().stream().filter(entry -> entry.state == State.PUBLISHED).toList();
    }
}
