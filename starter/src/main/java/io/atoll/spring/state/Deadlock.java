package io.atoll.spring.state;

import io.atoll.lock.WaitGraph;
import io.atoll.lock.WaitGraph.Party;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Threads that wait for each other. The locks are not all read at the same moment. So a cycle that has just closed may
 * be no deadlock.
 *
 * @param waits the waits, each from one of these threads to another one
 * @param others how many threads wait for these threads without being waited for
 * @param sinceMillis how long ago the last of these threads began to wait
 */
public record Deadlock(List<LockGraph.Edge> waits, int others, long sinceMillis) {

    /** @param ageMillis returns how long ago the locks of a table were read */
    static List<Deadlock> in(WaitGraph seen, ToLongFunction<String> ageMillis) {
        return seen.cycles().stream().map(cycle -> of(new HashSet<>(cycle), seen.edges(), ageMillis)).toList();
    }

    private static Deadlock of(Set<Party> parties, List<WaitGraph.Edge> edges, ToLongFunction<String> ageMillis) {
        List<WaitGraph.Edge> waits = edges.stream()
                .filter(edge -> parties.contains(edge.from()) && parties.contains(edge.to()))
                .toList();
        long others = edges.stream()
                .filter(edge -> parties.contains(edge.to()) && !parties.contains(edge.from()))
                .map(WaitGraph.Edge::from)
                .distinct()
                .count();
        return new Deadlock(waits.stream().map(LockGraph.Edge::of).toList(), (int) others,
                waits.stream()
                        .mapToLong(wait -> wait.waited().toMillis() + ageMillis.applyAsLong(wait.table()))
                        .min()
                        .orElse(0));
    }
}
