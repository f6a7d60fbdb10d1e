package io.atoll.collective;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Ranks in an order. Each has a position, from 0, and collectives use positions. */
public final class Team {

    private final int[] ranks;
    private final Map<Integer, Integer> positions = new HashMap<>();

    private Team(int[] ranks) {
        this.ranks = ranks;
        for (int position = 0; position < ranks.length; position++) {
            if (ranks[position] < 0 || positions.put(ranks[position], position) != null) {
                throw new IllegalArgumentException("a team has different ranks: ranks=" + Arrays.toString(ranks));
            }
        }
        if (ranks.length == 0) {
            throw new IllegalArgumentException("a team has a member: ranks=[]");
        }
    }

    /** Returns a team of all ranks of a world of this size, each at the position of its number. */
    public static Team all(int worldSize) {
        return new Team(IntStream.range(0, worldSize).toArray());
    }

    /** Returns a team of these ranks, in this order. */
    public static Team of(int... ranks) {
        return new Team(ranks.clone());
    }

    /**
     * Returns the ranks that have the same colour as a member, in their order. The colour is a function of the rank,
     * the same at every process, so no verb is needed.
     */
    public Team split(IntUnaryOperator colour, int member) {
        int own = colour.applyAsInt(rank(position(member)));
        return new Team(Arrays.stream(ranks).filter(rank -> colour.applyAsInt(rank) == own).toArray());
    }

    /** Returns the number of members. */
    public int size() {
        return ranks.length;
    }

    public int rank(int position) {
        return ranks[position];
    }

    public boolean contains(int rank) {
        return positions.containsKey(rank);
    }

    /** @throws IllegalArgumentException if the rank is no member */
    public int position(int rank) {
        Integer position = positions.get(rank);
        if (position == null) {
            throw new IllegalArgumentException("not a member of the team: team=" + this + " rank=" + rank);
        }
        return position;
    }

    /** Returns the members' values of an array with one for each rank of the world. */
    public int[] select(int[] ofAllRanks) {
        return Arrays.stream(ranks).map(rank -> ofAllRanks[rank]).toArray();
    }

    /** Returns the members' values of an array with one for each rank of the world. */
    public long[] select(long[] ofAllRanks) {
        return Arrays.stream(ranks).mapToLong(rank -> ofAllRanks[rank]).toArray();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Team team && Arrays.equals(ranks, team.ranks);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(ranks);
    }

    /** Returns the ranks, with commas between them. */
    @Override
    public String toString() {
        return Arrays.stream(ranks).mapToObj(String::valueOf).collect(Collectors.joining(","));
    }
}
