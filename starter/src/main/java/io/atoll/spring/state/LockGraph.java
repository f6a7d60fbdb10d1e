package io.atoll.spring.state;

import io.atoll.lock.WaitGraph;
import java.util.List;

/**
 * Who waits for whom, over all tables of locks. They are not looked at all at once: a cycle that is seen once may be none, one that lasts is a deadlock.
 *
 * @param edges from each thread that waits to the one that holds what it waits for
 * @param cycles threads that wait for each other, each of them for the next and the last for the first
 */
public record LockGraph(List<Edge> edges, List<List<Waiter>> cycles) {

    /**
     * @param table of the lock
     * @param index of the lock in it
     */
    public record Edge(int fromRank, String fromThread, int toRank, String toThread, String table, long index) {

        static Edge of(WaitGraph.Edge edge) {
            return new Edge(edge.from().rank(), edge.from().thread(), edge.to().rank(), edge.to().thread(),
                    edge.table(), edge.index());
        }
    }

    /** @param thread the beginning of its name */
    public record Waiter(int rank, String thread) {}

    static LockGraph of(WaitGraph seen) {
        return new LockGraph(seen.edges().stream().map(Edge::of).toList(),
                seen.cycles()
                        .stream()
                        .map(cycle -> cycle.stream().map(party -> new Waiter(party.rank(), party.thread())).toList())
                        .toList());
    }
}
