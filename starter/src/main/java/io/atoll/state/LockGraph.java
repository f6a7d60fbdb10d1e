package io.atoll.state;

import java.util.List;

/**
 * Who waits for whom, over all tables of locks.
 *
 * @param edges from each thread that waits to the one that holds what it waits for
 * @param cycles threads that wait for each other, each of them for the next and the last for the first
 */
public record LockGraph(List<Edge> edges, List<List<Waiter>> cycles) {

    /**
     * @param table of the lock
     * @param index of the lock in it
     */
    public record Edge(int fromRank, String fromThread, int toRank, String toThread, String table, long index) {}

    /** @param thread the beginning of its name */
    public record Waiter(int rank, String thread) {}
}
