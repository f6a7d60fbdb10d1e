package io.atoll.collective;

import com.dynatrace.hash4j.hashing.Hashing;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import java.util.Arrays;

/**
 * The time between two changes of a team's living members. An incarnation that was lost never comes back, so a
 * generation does not either.
 *
 * @param number a number that differs between any two generations of a team; counts within a generation start from it
 * @param incarnations the members' incarnations, by position; 0 for one that is not there
 */
record Generation(Team team, long number, int[] incarnations) {

    /** Returns the generation before the first look. */
    static Generation none(Team team) {
        return new Generation(team, 0, new int[team.size()]);
    }

    /** @param incarnations the incarnations of all ranks of the world */
    static Generation of(Team team, int[] incarnations) {
        int[] members = team.select(incarnations);
        return new Generation(team, Hashing.wyhashFinal4().hashStream().putIntArray(members).getAsLong(), members);
    }

    boolean isStill(int[] now) {
        return Arrays.equals(incarnations, team.select(now));
    }

    public boolean isWhole() {
        return Arrays.stream(incarnations).allMatch(incarnation -> incarnation != 0);
    }

    /** @throws RankUnreachableException if a member is not there; with its rank */
    public void requireWhole(String doing) {
        for (int position = 0; position < incarnations.length; position++) {
            if (incarnations[position] == 0) {
                throw new RankUnreachableException(
                        "it takes all members of the team, and one is not there, start it or wait until it is back",
                        doing,
                        team.rank(position), FabricException.WHOLE_SEGMENT);
            }
        }
    }

    /**
     * @throws RankUnreachableException if another generation has begun; with the rank that was lost, or has come back
     */
    public void requireSame(Generation now, String doing) {
        int changed = Arrays.mismatch(incarnations, now.incarnations);
        if (changed >= 0) {
            throw new RankUnreachableException("a member of the team was lost meanwhile, repeat it when all are there",
                    doing, team.rank(changed),
                    FabricException.WHOLE_SEGMENT);
        }
    }
}
