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
 * How often each member has left something in the middle that all do together. Where the others learn of it, it ends
 * that for them, too, and begins an era, as a death does. Each member's table has a word for each member, written by
 * that member alone:
 * <pre>
 *       63          32 31           0
 *       +-------------+-------------+
 *       | incarnation |    count    |
 *       +-------------+-------------+
 * </pre>
 * A word only grows, so it may be written again. What an earlier incarnation has left means nothing: its end began an
 * era anyway.
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
    private final int[] told; // the incarnation of each member that knows the own word, else 0

    /**
     * @param tables where each member's table lies in its segment, by position
     * @param own position
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

    /** From now on members are reached by that one, which knows another segment of a member that has lost its own, and another table there. */
    void reachBy(Endpoint renewed, long[] present) {
        endpoint = renewed;
        tables = present;
    }

    /**
     * How often each incarnation has, as far as this member was told. Cost: none where the own memory may be read
     * directly, else R.
     */
    int[] counts(int[] incarnations) {
        try {
            endpoint.read(members[own], tables[own], table, 0, table.byteSize());
            for (int member = 0; member < known.length; member++) {
                // acquire: pairs with tell of that member. The own one may not be there yet.
                known[member] = Math.max(known[member], table.getAtIndex(JAVA_LONG, member));
            }
        } catch (FencedException fenced) {
            throw fenced;
        } catch (FabricException broken) {
            // By its way through the card; what was known still holds, and whoever waits looks again.
            LOG.debug("cannot look who has left, will look again: rank={}", members[own], broken);
        }
        int[] counts = new int[known.length];
        Arrays.setAll(counts, member -> count(member, incarnations));
        return counts;
    }

    private int count(int member, int[] incarnations) {
        return known[member] >>> Integer.SIZE == incarnations[member] ? (int) known[member] : 0;
    }

    /** This member leaves now. Those whom it cannot reach are told later. Cost: W for each member. */
    void leave(int[] incarnations) {
        known[own] = (long) incarnations[own] << Integer.SIZE | count(own, incarnations) + 1;
        Arrays.fill(told, 0);
        try {
            tell(incarnations);
        } catch (FabricException unreachable) {
            // They are told before this member takes part again, see Barrier. Until then they wait for it, as for one
            // that is late.
            LOG.debug("cannot tell all who has left, will try again: rank={}", members[own], unreachable);
        }
    }

    /**
     * Sees to it that all others have been told.
     *
     * @throws FabricException when one cannot be; all others have been
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
