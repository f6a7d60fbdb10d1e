package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.lock.WaitGraph.Edge;
import io.atoll.lock.WaitGraph.Party;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class WaitGraphTest {

    private static LockState.Request request(int rank, boolean holds) {
        return new LockState.Request(rank, "t" + rank, rank, Instant.EPOCH, Duration.ofSeconds(rank), false, holds,
                OptionalLong.empty(), Optional.empty());
    }

    private static Party party(int rank) {
        return new Party(rank, rank, "t" + rank);
    }

    private static LockState lock(long index, Integer holder, int... waiting) {
        List<LockState.Request> waiters = IntStream.of(waiting).mapToObj(rank -> request(rank, false)).toList();
        return new LockState(index, 0, Stream.ofNullable(holder).map(rank -> request(rank, true)).findFirst(), waiters,
                List.of(), waiters, OptionalInt.empty(), Optional.empty(), LockState.Counts.NONE);
    }

    @Test
    void whoWaitsHasAnEdgeToWhoHolds() {
        WaitGraph graph = WaitGraph.of(Map.of("b", List.of(lock(7, 1, 2, 3)), "a", List.of(lock(1, 4, 1))));
        assertThat(graph.edges()).containsExactly(new Edge(party(1), party(4), "a", 1, Duration.ofSeconds(1)),
                new Edge(party(2), party(1), "b", 7, Duration.ofSeconds(2)),
                new Edge(party(3), party(1), "b", 7, Duration.ofSeconds(3)));
        assertThat(graph.cycles()).isEmpty();
    }

    @Test
    void aLockThatNobodyHoldsHasNoEdge() {
        assertThat(WaitGraph.of(Map.of("a", List.of(lock(1, null, 1)))).edges()).isEmpty();
    }

    @Test
    void threadsThatWaitForEachOtherAcrossTablesAreACycle() {
        WaitGraph graph = WaitGraph.of(Map.of("a", List.of(lock(1, 3, 2, 9)), "b", List.of(lock(1, 2, 1)), "c",
                List.of(lock(5, 1, 3))));
        assertThat(graph.cycles()).containsExactly(List.of(party(1), party(2), party(3)));
    }

    @Test
    void eachCycleIsSeenOnce() {
        WaitGraph graph = WaitGraph
                .of(Map.of("a", List.of(lock(1, 1, 2), lock(2, 2, 1), lock(3, 5, 6, 1), lock(4, 6, 5), lock(5, 7, 7))));
        assertThat(graph.cycles()).containsExactly(List.of(party(1), party(2)), List.of(party(5), party(6)),
                List.of(party(7)));
    }

    @Test
    void aChainOfManyThreadsIsNoCycleUntilItCloses() {
        List<LockState> chain = new ArrayList<>();
        for (int rank = 0; rank < 50_000; rank++) {
            chain.add(lock(rank, rank, rank + 1));
        }
        assertThat(WaitGraph.of(Map.of("a", chain)).cycles()).isEmpty();
        chain.add(lock(50_000, 50_000, 0));
        assertThat(WaitGraph.of(Map.of("a", chain)).cycles()).singleElement()
                .satisfies(cycle -> assertThat(cycle).hasSize(50_001));
    }
}
