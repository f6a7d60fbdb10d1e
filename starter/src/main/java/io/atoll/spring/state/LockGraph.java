package io.atoll.spring.state;

import io.atoll.lock.WaitGraph;
import java.util.List;

/**
 * Which threads wait for which, over all lock tables. The tables are not all read at the same moment. A cycle that is
 * seen once may be no deadlock, but a cycle that lasts is one.
 *
 * @param edges the edges, each from a waiting thread to the holder of the lock that it waits for
 * @param cycles threads that wait for each other: each one for the next, and the last one for the first
 */
public record LockGraph(List<Edge> edges, List<List<Waiter>> cycles) {

    /**
     * @param table the table of the lock
     * @param index the index of the lock in its table
     */
    public record Edge(int fromRank, String fromThread, int toRank, String toThread, String table, long index) {

        static Edge of(WaitGraph.Edge edge) {
            return new Edge(edge.from().rank(), edge.from().thread(), edge.to().rank(), edge.to().thread(),
                    edge.table(), edge.index());
        }
    }

    /** @param thread the beginning of the thread's name */
    public record Waiter(int rank, String thread) {}

    static LockGraph of(WaitGraph seen) {
        return new LockGraph(seen.edges().stream().map(Edge::of).toList(),
                seen.cycles()
                        .stream()
                        .map(cycle -> cycle.stream().map(party -> new Waiter(party.rank(), party.thread())).toList())
                        .toList());
    }
}
