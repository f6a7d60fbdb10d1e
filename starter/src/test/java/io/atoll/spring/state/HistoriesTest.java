package io.atoll.spring.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.history.Series;
import io.atoll.map.LongLongMap;
import io.atoll.spring.state.HistoryState.RankSeries;
import io.atoll.spring.state.overview.OverviewWatch;
import io.atoll.world.Peers.PeerStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class HistoriesTest {

    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private static List<RankSeries> histories(WorldStates worldStates, OptionalInt rank) {
        return worldStates
                .histories()
                .figures(List.of(Series.HEAP_USED_BYTES, Series.PROCESS_CPU_MILLIS), false, rank, 60, 60,
                        OptionalLong.empty())
                .ranks();
    }

    @Test
    void whatAllRanksDoWithAStructureIsSeenAlsoWhereNoVerbIs() {
        try (World first = TwoRanks.open(folder, 0);
                World second = TwoRanks.open(folder, 1);
                WorldStates worldStates = new WorldStates(first)) {
            LongLongMap hits = first.longMap("hits").open();
            LongLongMap others = second.longMap("hits").open();
            OverviewWatch overview = new OverviewWatch(worldStates);
            await().atMost(SOON).pollInterval(Duration.ofMillis(20)).untilAsserted(() -> {
                for (long key = 0; key < 1_000; key++) {
                    hits.put(key, 1);
                    others.getOrDefault(key, 0);
                }
                assertThat(worldStates.summaries()).filteredOn(each -> each.name().equals("hits"))
                        .singleElement()
                        .satisfies(each -> assertThat(each.operationsPerSecond()).isGreaterThan(2_000));
                assertThat(worldStates.structure("hits").orElseThrow().operationsPerSecond()).isPositive();
                assertThat(overview.look().sparklines().get("operations"))
                        .anySatisfy(rate -> assertThat(rate).isNotNull().isGreaterThan(2_000));
            });
            assertThat(histories(worldStates, OptionalInt.empty())).hasSize(2);
        }
    }

    @Test
    void aRankThatIsGoneIsShownAsItWasSeen() {
        try (World first = TwoRanks.open(folder, 0); WorldStates worldStates = new WorldStates(first)) {
            long left;
            try (World _ = TwoRanks.open(folder, 1)) {
                await().atMost(SOON)
                        .untilAsserted(() -> assertThat(histories(worldStates, OptionalInt.empty())).hasSize(2)
                                .allSatisfy(rank -> {
                                    assertThat(rank.origin()).isEqualTo(HistoryState.Origin.LIVE);
                                    assertThat(rank.values().get("heap-used-bytes")).hasSize(60)
                                            .anyMatch(value -> value != null && value > 0);
                                }));
                assertThat(histories(worldStates, OptionalInt.of(1))).extracting(RankSeries::rank).containsExactly(1);
                assertThat(worldStates.rankStates()).hasSize(2).allSatisfy(rank -> {
                    assertThat(rank.host()).isNotBlank();
                    assertThat(rank.pid()).isEqualTo(ProcessHandle.current().pid());
                    assertThat(rank.uptimeMillis()).isPositive();
                    assertThat(rank.lastSeenMillis()).isNull();
                    assertThat(rank.lostMillis()).isNull();
                });
                await().atMost(SOON)
                        .untilAsserted(
                                () -> assertThat(worldStates.histories().events()).extracting(RankEvent::kind)
                                        .contains("joined"));
                left = System.nanoTime();
            }
            await().atMost(SOON)
                    .until(() -> worldStates.ranks().getLast().status() == PeerStatus.LOST);
            // The rank's file exists as long as the world.
            assertThat(histories(worldStates, OptionalInt.of(1))).singleElement()
                    .satisfies(
                            rank -> assertThat(rank.origin()).isIn(HistoryState.Origin.FILE, HistoryState.Origin.SEEN));
            assertThat(worldStates.rankStates().getLast()).satisfies(lost -> {
                assertThat(lost.host()).isNotBlank();
                assertThat(lost.uptimeMillis()).isNull();
                assertThat(lost.usage()).isNotNull();
                assertThat(lost.lastSeenMillis()).isNotNegative();
                assertThat(lost.lostMillis()).isBetween(0L, Duration.ofNanos(System.nanoTime() - left).toMillis());
            });
        }
    }
}
