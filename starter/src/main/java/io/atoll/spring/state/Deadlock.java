package io.atoll.spring.state;

import io.atoll.lock.WaitGraph;
import io.atoll.lock.WaitGraph.Party;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Threads that wait for each other. Locks are not looked at all at once: what has closed a moment ago may be none.
 *
 * @param waits each from one of them to another one
 * @param others how many wait for them without being waited for
 * @param sinceMillis when the last one of them has begun to wait
 */
public record Deadlock(List<LockGraph.Edge> waits, int others, long sinceMillis) {

    static List<Deadlock> in(WaitGraph seen) {
        return seen.cycles().stream().map(cycle -> of(new HashSet<>(cycle), seen.edges())).toList();
    }

    private static Deadlock of(Set<Party> parties, List<WaitGraph.Edge> edges) {
        List<WaitGraph.Edge> waits = edges.stream()
                .filter(edge -> parties.contains(edge.from()) && parties.contains(edge.to()))
                .toList();
        long others = edges.stream()
                .filter(edge -> parties.contains(edge.to()) && !parties.contains(edge.from()))
                .map(WaitGraph.Edge::from)
                .distinct()
                .count();
        return new Deadlock(waits.stream().map(LockGraph.Edge::of).toList(), (int) others,
                waits.stream().map(WaitGraph.Edge::waited).mapToLong(Duration::toMillis).min().orElse(0));
    }
}
