package io.atoll.spring.state.overview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.map.LongLongMap;
import io.atoll.promise.BrokenPromiseException;
import io.atoll.promise.Promise;
import io.atoll.spring.state.TwoRanks;
import io.atoll.spring.state.WorldStates;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class BrokenPromiseTest {

    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private static List<Problem> brokenPromises(OverviewWatch watch) {
        return watch.look().problems().stream().filter(problem -> problem.kind() == Problem.Kind.PROMISE).toList();
    }

    @Test
    void oneThatARankHasFoundIsAProblemAtEachRankAndIsToldOnce() {
        try (World world = TwoRanks.open(folder, 0);
                World other = TwoRanks.open(folder, 1);
                WorldStates seen = new WorldStates(world)) {
            LongLongMap reading = world.longMap("hits").capacity(100).checkedPromises().open();
            LongLongMap writing = other.longMap("hits").capacity(100).checkedPromises().open();
            var watch = new OverviewWatch(seen);
            assertThat(brokenPromises(watch)).isEmpty();
            reading.getOrDefault(7, -1, Promise.onlyReads());
            for (int attempt = 0; attempt < 3; attempt++) {
                assertThatThrownBy(() -> writing.put(7, 1)).isInstanceOf(BrokenPromiseException.class);
            }
            await().atMost(SOON).untilAsserted(() -> assertThat(brokenPromises(watch)).hasSize(1));
            Problem broken = brokenPromises(watch).getFirst();
            assertThat(broken.severity()).isEqualTo(Severity.CRITICAL);
            assertThat(broken.structure()).isEqualTo("hits");
            assertThat(broken.rank()).as("that has found it").isEqualTo(1);
            assertThat(broken.cause())
                    .matches(".*: BrokenPromiseTest.java:\\d+ and BrokenPromiseTest.java:\\d+ of rank 0");
            assertThat(broken.sinceMillis()).isNotNegative();
            assertThat(seen.histories().events()).filteredOn(event -> event.kind().equals("promise-broken"))
                    .singleElement()
                    .satisfies(event -> assertThat(event.text()).startsWith("hits: BrokenPromiseTest.java:"));
        }
    }
}
