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
        assertThat(log.tallies()).isEmpty();
        run.finish();
        assertThat(log.running()).isEmpty();
        assertThat(log.tallies()).singleElement().satisfies(tally -> {
            assertThat(tally.finished()).isEqualTo(1);
            assertThat(tally.bytes()).isEqualTo(64);
            assertThat(tally.total()).isPositive().isEqualTo(tally.longest());
        });
    }

    @Test
    void whatIsClosedBeforeItHasFinishedHasFailedAndOnceOnly() {
        Run run = log.begin("sums", "allReduce", 3, 8);
        run.close();
        run.finish();
        assertThat(log.tallies()).singleElement().satisfies(tally -> {
            assertThat(tally.finished()).isZero();
            assertThat(tally.failed()).isEqualTo(1);
            assertThat(tally.total()).isEqualTo(Duration.ZERO);
        });
    }

    @Test
    void howLongTheyTookIsCountedOfThoseThatHaveFinishedAndOfNoOthers() {
        log.begin("sums", "allReduce", 3, 16).close();
        assertThat(log.tallies().getFirst().durations().ranges()).isEmpty();
        log.begin("sums", "allReduce", 3, 16).finish();
        Tally tally = log.tallies().getFirst();
        assertThat(tally.durations().ranges()).singleElement().satisfies(range -> {
            assertThat(range.count()).isOne();
            assertThat(range.upToNanos()).isGreaterThanOrEqualTo(tally.longest().toNanos());
        });
        log.begin("sums", "allReduce", 3, 16).finish();
        log.begin("sums", "barrier", 3, 16).finish();
        assertThat(log.tallies()).extracting(each -> each.durations()
                .ranges()
                .stream()
                .mapToLong(Durations.Range::count)
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
    void eachKindHasATallyOfItsOwnAndListenersHearOfEachEnd() {
        List<String> heard = new ArrayList<>();
        log.listen((name, operation, finished, _) -> heard.add(name + ' ' + operation + ' ' + finished));
        log.begin("sums", "reduce", 3, 8).finish();
        log.begin("sums", "barrier", 3, 0).finish();
        log.begin("model", "broadcast", 3, 8).close();
        assertThat(log.tallies()).extracting(Tally::operation).containsExactly("broadcast", "barrier", "reduce");
        assertThat(heard).containsExactly("sums reduce true", "sums barrier true", "model broadcast false");
    }
}
