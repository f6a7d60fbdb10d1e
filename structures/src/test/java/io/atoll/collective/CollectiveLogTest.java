package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.atoll.collective.CollectiveLog.Late;
import io.atoll.collective.CollectiveLog.Run;
import io.atoll.collective.CollectiveLog.Running;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CollectiveLogTest {

    private final CollectiveLog log = new CollectiveLog();

    @Test
    void whatHasBegunRunsUntilItHasFinished() {
        Run run = log.begin("model", "broadcast", 3, 64);
        assertThat(log.running()).extracting(Running::name, Running::operation, Running::members, Running::bytes)
                .containsExactly(tuple("model", "broadcast", 3, 64L));
        assertThat(log.counts()).isEmpty();
        run.finish();
        assertThat(log.running()).isEmpty();
        assertThat(log.counts()).singleElement().satisfies(collectiveCounts -> {
            assertThat(collectiveCounts.finished()).isEqualTo(1);
            assertThat(collectiveCounts.bytes()).isEqualTo(64);
            assertThat(collectiveCounts.total()).isPositive().isEqualTo(collectiveCounts.longest());
        });
    }

    @Test
    void whatIsClosedBeforeItHasFinishedHasFailedAndOnceOnly() {
        Run run = log.begin("sums", "allReduce", 3, 8);
        run.close();
        run.finish();
        assertThat(log.counts()).singleElement().satisfies(collectiveCounts -> {
            assertThat(collectiveCounts.finished()).isZero();
            assertThat(collectiveCounts.failed()).isEqualTo(1);
            assertThat(collectiveCounts.total()).isEqualTo(Duration.ZERO);
        });
    }

    @Test
    void howLongTheyTookIsCountedOfThoseThatHaveFinishedAndOfNoOthers() {
        log.begin("sums", "allReduce", 3, 16).close();
        assertThat(log.counts().getFirst().durations().ranges()).isEmpty();
        log.begin("sums", "allReduce", 3, 16).finish();
        CollectiveCounts collectiveCounts = log.counts().getFirst();
        assertThat(collectiveCounts.durations().ranges()).singleElement().satisfies(range -> {
            assertThat(range.count()).isOne();
            assertThat(range.upToNanos()).isGreaterThanOrEqualTo(collectiveCounts.longest().toNanos());
        });
        log.begin("sums", "allReduce", 3, 16).finish();
        log.begin("sums", "barrier", 3, 16).finish();
        assertThat(log.counts()).extracting(each -> each.durations()
                .ranges()
                .stream()
                .mapToLong(CollectiveCounts.Durations.Range::count)
                .sum()).containsExactly(2L, 1L);
    }

    @Test
    void oneThatIsUnderWayTellsWhoIsLate() {
        Late late = new Late(2, Duration.ofSeconds(3));
        log.begin("sums", "allReduce", 3, 16, () -> List.of(late));
        log.begin("sums", "barrier", 3, 0);
        assertThat(log.running())
                .extracting(Running::operation, running -> running.latecomers().look())
                .containsExactlyInAnyOrder(tuple("allReduce", List.of(late)), tuple("barrier", List.of()));
    }

    @Test
    void eachKindHasCountsOfItsOwnAndListenersHearOfEachEnd() {
        List<String> heard = new ArrayList<>();
        log.listen((name, operation, finished, _) -> heard.add(name + ' ' + operation + ' ' + finished));
        log.begin("sums", "reduce", 3, 8).finish();
        log.begin("sums", "barrier", 3, 0).finish();
        log.begin("model", "broadcast", 3, 8).close();
        assertThat(log.counts()).extracting(CollectiveCounts::operation)
                .containsExactly("broadcast", "barrier", "reduce");
        assertThat(heard).containsExactly("sums reduce true", "sums barrier true", "model broadcast false");
    }
}
