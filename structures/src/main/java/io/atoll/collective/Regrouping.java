package io.atoll.collective;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Tells if all members of a team are in the same {@link Generation}. Each member tells all others when it has entered a
 * generation. From then on it does nothing any more that belongs to an earlier one. So a member that sees that all have
 * entered knows that nothing of earlier generations is under way. No data can arrive too late, and no addition to a
 * counter. A dead member cannot do any harm either. If it comes back, other members shut out its former life before
 * they enter a generation.
 *
 * <p>Used by one thread at a time, except {@link #generation()}.
 */
class Regrouping {

    private final Participant self;
    private final Team team;
    private Endpoint endpoint;
    private long[] tables;
    private final MemorySegment table;
    private volatile Generation generation;
    private boolean told;
    private boolean complete; // true if all members have entered this generation

    /**
     * @param tables where each member's table lies in its segment, by position. A table has a word for each member, the
     * generation that this member has entered. Only this member writes the word
     */
    public Regrouping(Participant self, Team team, long[] tables) {
        this.self = self;
        this.endpoint = self.endpoint();
        this.team = team;
        this.tables = tables;
        this.table = MemorySegment.ofArray(new long[team.size()]);
        this.generation = Generation.none(team);
    }

    /**
     * From now on reaches members by this endpoint. It knows the new segment of a member that has lost its own. No
     * generation with this member has been entered yet, because the member could not be told.
     *
     * @param present where each member's table lies now
     */
    public void reachBy(Endpoint renewed, long[] present) {
        endpoint = renewed;
        tables = present;
    }

    public Generation generation() {
        return generation;
    }

    /**
     * Returns true if another generation has begun. Then this process gives up what belongs to the former one before it
     * tells that it has {@linkplain #enter entered}. Cost: none.
     */
    public boolean look() {
        int[] now = self.incarnations();
        if (generation.isStill(now)) {
            return false;
        }
        generation = next(now);
        told = false;
        complete = false;
        return true;
    }

    /** Returns the generation that begins now. */
    protected Generation next(int[] incarnations) {
        return Generation.of(team, incarnations);
    }

    /** Tells all members, if they have not been told. Cost: a W for each in one batch, once in a generation. */
    public void enter() {
        if (!told) {
            long word = team.position(endpoint.rank()) * Layouts.WORD;
            Batch batch = endpoint.batch();
            for (int position = 0; position < team.size(); position++) {
                batch.writeWord(team.rank(position), tables[position] + word, generation.number());
            }
            batch.complete();
            told = true;
        }
    }

    /**
     * Returns true if all members have entered this generation. Cost: none where the own memory may be read directly,
     * else R until they have.
     */
    public boolean haveAllEntered() {
        if (!complete) {
            complete = firstAbsent() == team.size();
        }
        return complete;
    }

    /** Returns the position of the first member that has not entered, or the size of the team. */
    public int firstAbsent() {
        int own = team.position(endpoint.rank());
        // acquire: pairs with enter of every member, which comes after everything that it did in earlier generations.
        endpoint.read(endpoint.rank(), tables[own], table, 0, table.byteSize());
        int position = 0;
        while (position < team.size() && table.getAtIndex(ValueLayout.JAVA_LONG, position) == generation.number()) {
            position++;
        }
        return position;
    }
}
