package io.atoll.collective;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import java.util.ArrayList;
import java.util.List;

/**
 * The members that keep a broadcast waiting. A root that has waited for long reads in their segments how far they are.
 */
final class Stragglers {

    private static final int ATTEMPTS_OF_A_LOOK = 64;
    private static final int MEMBERS_OF_A_BATCH = (int) (Batch.THREAD_BUFFER_BYTES / Layouts.WORD);

    private final Endpoint endpoint;
    private final Team team;
    private final BroadcastBlock block;
    private final long[] blocks;
    private final int own;
    private int looks; // the looks during the present wait

    Stragglers(Endpoint endpoint, Team team, BroadcastBlock block, long[] blocks) {
        this.endpoint = endpoint;
        this.team = team;
        this.block = block;
        this.blocks = blocks;
        this.own = team.position(endpoint.rank());
    }

    /** Returns true once in a while during a wait, even if not each attempt of the wait comes here. */
    boolean areWorthALook(int attempts) {
        int before = looks;
        looks = attempts / ATTEMPTS_OF_A_LOOK;
        return looks > before;
    }

    /**
     * Returns true if all others have finished with a broadcast of this rank. Each member notes that in its own
     * segment. Cost: R for each, in one batch.
     */
    boolean haveFinished(Generation generation, long number) {
        return unfinished(generation, number).isEmpty();
    }

    /** Returns the ranks that have not finished with a broadcast of this rank. Cost: R for each other, in batches. */
    List<Integer> unfinished(Generation generation, long number) {
        List<Integer> ranks = new ArrayList<>();
        for (int first = 0; first < team.size(); first += MEMBERS_OF_A_BATCH) {
            addUnfinished(generation.number() + number, first, Math.min(team.size(), first + MEMBERS_OF_A_BATCH),
                    ranks);
        }
        return ranks;
    }

    private void addUnfinished(long word, int first, int end, List<Integer> ranks) {
        try (Batch batch = endpoint.batch()) {
            for (int position = first; position < end; position++) {
                if (position != own) {
                    batch.read(team.rank(position), blocks[position] + block.finished(own),
                            (position - first) * Layouts.WORD, Layouts.WORD);
                }
            }
            batch.complete();
            for (int position = first; position < end; position++) {
                if (position != own && batch.word((position - first) * Layouts.WORD) != word) {
                    ranks.add(team.rank(position));
                }
            }
        }
    }

    /**
     * Returns the last rank in this rank's tree that has a request and does not go on. Children come behind their
     * parents, so the members behind it have no request. Returns this rank if none has. Cost: 2 R for each other.
     */
    int find(Generation generation) {
        for (int shifted = team.size() - 1; shifted > 0; shifted--) {
            int bit = BinomialTree.bitToParent(shifted);
            int parent = (own + BinomialTree.parent(shifted)) % team.size();
            int child = (own + shifted) % team.size();
            long done = endpoint.readWord(team.rank(parent), blocks[parent] + block.acknowledged(bit))
                    - generation.number();
            long expected = done > 0 && done < Integer.MAX_VALUE ? done : 0;
            long flag = endpoint.readWord(team.rank(child),
                    blocks[child] + block.request(bit, expected) + ForwardRequest.FLAG);
            if (flag == generation.number() + expected + 1) {
                return team.rank(child);
            }
        }
        return endpoint.rank();
    }
}
