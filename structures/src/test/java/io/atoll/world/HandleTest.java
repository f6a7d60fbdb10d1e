package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class HandleTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int LOST = 1;

    private final Simulation simulation = new Simulation(1, SimOptions.ranks(2).segmentBytes(1 << 20));
    private final AtomicInteger attempts = new AtomicInteger();
    private volatile @Nullable RuntimeException failure;
    private volatile Runnable meanwhile = () -> {};
    private Participant self = participant();

    private Participant participant() {
        return Participants.amongTheLiving(simulation.fabric(0));
    }

    private String find(Participant by) {
        int attempt = attempts.incrementAndGet();
        meanwhile.run();
        RuntimeException thrown = failure;
        if (thrown != null) {
            throw thrown;
        }
        return by.lossesSeen() + " lost, found at attempt " + attempt;
    }

    private Handle<String> handle(OnLoss onLoss) {
        return Handle.of("found", onLoss, () -> self, this::find);
    }

    private void lose() {
        self = self.renew(new Endpoint(simulation.fabric(0)), LOST);
    }

    private static RankUnreachableException away() {
        return new RankUnreachableException("it is away", "read", 1, 0);
    }

    static FabricException[] passing() {
        return new FabricException[]{away(), new SegmentFullException(LOST, 64, 0)};
    }

    @Test
    void whatWasFoundIsKept() {
        Handle<String> handle = handle(OnLoss.EMPTY);
        assertThat(handle.opened()).isEqualTo("0 lost, found at attempt 1");
        assertThat(handle.opened()).isEqualTo("0 lost, found at attempt 1");
    }

    @Test
    void onlyWhatBeginsEmptyIsFoundAnewAfterALoss() {
        Handle<String> empty = handle(OnLoss.EMPTY);
        Handle<String> failing = handle(OnLoss.FAIL);
        empty.opened();
        failing.opened();
        lose();
        assertThat(empty.opened()).isEqualTo("1 lost, found at attempt 3");
        assertThat(failing.opened()).isEqualTo("0 lost, found at attempt 2");
    }

    @ParameterizedTest
    @MethodSource("passing")
    void whatWasFoundBeforeIsUsedUntilItCanBeFoundAnew(FabricException passing) {
        Handle<String> handle = handle(OnLoss.EMPTY);
        handle.opened();
        lose();
        failure = passing;
        for (int use = 0; use < 1_000; use++) {
            assertThat(handle.opened()).isEqualTo("0 lost, found at attempt 1");
        }
        assertThat(attempts).as("attempts, of which there are ten in a second").hasValueLessThan(500);
        failure = null;
        await().atMost(SOON).until(() -> handle.opened().startsWith("1 lost"));
    }

    @Test
    void whatCannotPassIsTold() {
        Handle<String> handle = handle(OnLoss.EMPTY);
        handle.opened();
        lose();
        failure = new ConfigurationMismatchException("hits", "another", "this");
        assertThatThrownBy(handle::opened).isSameAs(failure);
    }

    @Test
    void oneThreadTriesWhileOthersGoOn() {
        Handle<String> handle = handle(OnLoss.EMPTY);
        handle.opened();
        lose();
        failure = away();
        meanwhile = () -> {
            meanwhile = () -> {};
            assertThat(handle.opened()).as("of another thread, meanwhile").isEqualTo("0 lost, found at attempt 1");
            assertThat(attempts).hasValue(2);
        };
        assertThat(handle.opened()).isEqualTo("0 lost, found at attempt 1");
        assertThat(attempts).hasValue(2);
    }

    @Test
    void whatAFormerLifeHasFoundIsNotUsedByTheNext() {
        Handle<String> handle = handle(OnLoss.EMPTY);
        handle.opened();
        lose();
        failure = away();
        meanwhile = () -> {
            meanwhile = () -> {};
            self.end();
            self = participant();
        };
        assertThatThrownBy(handle::opened).isSameAs(failure);
        assertThatThrownBy(handle::opened).isSameAs(failure);
    }

    @Test
    void whatIsFoundByALifeThatIsOverMeanwhileIsNotKept() {
        Handle<String> handle = handle(OnLoss.EMPTY);
        meanwhile = () -> {
            meanwhile = () -> {};
            self.end();
            self = participant();
        };
        handle.opened();
        assertThat(handle.opened()).isEqualTo("0 lost, found at attempt 2");
    }
}
