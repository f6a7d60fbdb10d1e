package io.atoll.collective.exchange;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.collective.team.Team;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.memory.Layouts;
import io.atoll.world.Barrier.Departures;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How often each member has given something up in the middle: a word for each in each member's table, by that member alone. A word only grows, so it may be written again. */
final class GivenUp implements Departures {

    private static final Logger LOG = LoggerFactory.getLogger(GivenUp.class);

    private final Endpoint endpoint;
    private final Team team;
    private final long[] tables;
    private final int own;
    private final MemorySegment table;
    private final boolean[] told; // which members know the own count
    private final int[] known;

    /** @param tables where each member's table lies in its segment, by position */
    GivenUp(Endpoint endpoint, Team team, long[] tables) {
        this.endpoint = endpoint;
        this.team = team;
        this.tables = tables;
        this.own = team.position(endpoint.rank());
        this.table = MemorySegment.ofArray(new long[team.size()]);
        this.told = new boolean[team.size()];
        this.known = new int[team.size()];
        this.known[own] = Math.toIntExact(endpoint.readWord(endpoint.rank(), tables[own] + own * Layouts.WORD));
        // What this rank has given up in an earlier life, it may not have told all.
        Arrays.fill(told, known[own] == 0);
    }

    /** Cost: none where the own memory may be read directly, else R. */
    @Override
    public int[] counts() {
        try {
            endpoint.read(endpoint.rank(), tables[own], table, 0, table.byteSize());
            for (int member = 0; member < known.length; member++) {
                // acquire: pairs with tell of that member. The own one may not be there yet.
                known[member] = Math.max(known[member], Math.toIntExact(table.getAtIndex(JAVA_LONG, member)));
            }
        } catch (FencedException fenced) {
            throw fenced;
        } catch (FabricException broken) {
            // By its way through the card; what was known still holds, and whoever waits looks again.
            LOG.debug("cannot look who has given up, will look again: rank={}", endpoint.rank(), broken);
        }
        return known.clone();
    }

    /** Cost: W for each member. */
    @Override
    public void leave() {
        known[own]++;
        Arrays.fill(told, false);
        try {
            tell();
        } catch (FabricException unreachable) {
            // It is told before this member takes part again, see Barrier; until then it waits for this one, as for one that is late.
            LOG.debug("cannot tell all who has given up, will try again: rank={}", endpoint.rank(), unreachable);
        }
    }

    @Override
    public void tell() {
        for (int member = 0; member < told.length; member++) {
            if (!told[member]) {
                endpoint.writeWord(team.rank(member), tables[member] + own * Layouts.WORD, known[own]);
                endpoint.flush(team.rank(member));
                told[member] = true;
            }
        }
    }
}
