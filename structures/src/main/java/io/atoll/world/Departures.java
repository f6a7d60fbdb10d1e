package io.atoll.world;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How often each member has left, in the middle, something that all do together. When the others learn of it, it ends
 * for them, too, and a generation begins, as after a death. Each member's table has a word for each member, which only
 * that member writes:
 * <pre>
 *       63          32 31           0
 *       +-------------+-------------+
 *       | incarnation |    count    |
 *       +-------------+-------------+
 * </pre>
 * A word only grows, so it may be written again. The departures of an earlier incarnation mean nothing: its end began
 * a generation anyway.
 *
 * <p>Used by one thread at a time.
 */
final class Departures {

    private static final Logger LOG = LoggerFactory.getLogger(Departures.class);

    private Endpoint endpoint;
    private final int[] members;
    private long[] tables;
    private final int own;
    private final MemorySegment table;
    private final long[] known;
    private final int[] told; // the incarnation of each member that knows this member's word, else 0

    /**
     * @param tables where each member's table lies in its segment, by position
     * @param own position of this member
     */
    Departures(Endpoint endpoint, int[] members, long[] tables, int own) {
        this.endpoint = endpoint;
        this.members = members;
        this.tables = tables;
        this.own = own;
        this.table = MemorySegment.ofArray(new long[members.length]);
        this.known = new long[members.length];
        this.told = new int[members.length];
    }

    /**
     * From now on members are reached by that endpoint. It knows the new segment of a member that has lost its own,
     * where the member's table lies elsewhere.
     */
    void reachBy(Endpoint renewed, long[] present) {
        endpoint = renewed;
        tables = present;
    }

    /**
     * Returns how often each incarnation has left, as far as this member was told. Cost: none where this rank's own
     * memory can be read directly, else R.
     */
    int[] counts(int[] incarnations) {
        try {
            endpoint.read(members[own], tables[own], table, 0, table.byteSize());
            for (int member = 0; member < known.length; member++) {
                // acquire: pairs with tell of that member. This member's own word may not be there yet.
                known[member] = Math.max(known[member], table.getAtIndex(JAVA_LONG, member));
            }
        } catch (FencedException fenced) {
            throw fenced;
        } catch (FabricException broken) {
            // The way to this rank's own memory through the card is broken. Known counts still hold, and a waiter looks
            // again.
            LOG.debug("cannot look who has left, will look again: rank={}", members[own], broken);
        }
        int[] counts = new int[known.length];
        Arrays.setAll(counts, member -> count(member, incarnations));
        return counts;
    }

    private int count(int member, int[] incarnations) {
        return known[member] >>> Integer.SIZE == incarnations[member] ? (int) known[member] : 0;
    }

    /**
     * Notes that this member leaves now, and tells the others. Members that it cannot reach are told later. Cost: W for
     * each member.
     */
    void leave(int[] incarnations) {
        known[own] = (long) incarnations[own] << Integer.SIZE | count(own, incarnations) + 1;
        Arrays.fill(told, 0);
        try {
            tell(incarnations);
        } catch (FabricException unreachable) {
            // They are told before this member takes part again, see Barrier. Until then they wait for it, as for a
            // member that is late.
            LOG.debug("cannot tell all who has left, will try again: rank={}", members[own], unreachable);
        }
    }

    /**
     * Tells all members that have not been told yet.
     *
     * @throws FabricException if one of them cannot be told; all others have been
     */
    void tell(int[] incarnations) {
        if (count(own, incarnations) == 0) {
            return;
        }
        FabricException failure = null;
        for (int member = 0; member < told.length; member++) {
            if (told[member] != incarnations[member]) {
                failure = tell(member, incarnations[member], failure);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private @Nullable FabricException tell(int member, int incarnation, @Nullable FabricException earlier) {
        try {
            endpoint.writeWord(members[member], tables[member] + own * Layouts.WORD, known[own]);
            endpoint.flush(members[member]);
            told[member] = incarnation;
            return earlier;
        } catch (FabricException unreachable) {
            return unreachable;
        }
    }
}
