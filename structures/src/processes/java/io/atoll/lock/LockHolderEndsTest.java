package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A rank ends with locks that it holds, and is never started again. Survivors have never read anything in its segment.
 * The segment is out of reach by the time they need it. A fourth rank, which holds nothing, has ended before.
 */
@Tag("processes")
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class LockHolderEndsTest {

    private static final int RANKS = 4;
    private static final int HOLDER = 2;
    private static final int BYSTANDER = 3;
    private static final List<Integer> SURVIVORS = List.of(0, 1);

    private static final int TRIALS = 10;

    @TempDir
    private Path folder;

    private List<ChildProcess> ranks;

    @BeforeEach
    void start() {
        ranks = Stream.generate(() -> ChildProcess.start(LockHolderProcess.class))
                .limit(RANKS)
                .collect(Collectors.toCollection(ArrayList::new));
        for (int rank = 0; rank < RANKS; rank++) {
            ranks.get(rank).ask("join " + folder + " " + RANKS + " " + rank);
        }
        ranks.forEach(rank -> rank.ask("open"));
    }

    @AfterEach
    void end() {
        ranks.forEach(ChildProcess::close);
    }

    @Test
    void whatAKilledRankHeldIsGrantedToWhoAsksLater() {
        ranks.get(BYSTANDER).kill();
        holdAll();
        ranks.get(HOLDER).kill();
        assertThatWhoAsksIsGranted();
    }

    @Test
    void whatAKilledRankHeldIsGrantedToWhoWaits() {
        holdAll();
        ranks.get(BYSTANDER).kill();
        forEach((rank, request) -> rank.ask("wait " + request));
        ranks.get(HOLDER).kill();
        forEach((rank, request) -> assertThat(rank.ask("told " + request)).as(request).isEqualTo("recovered"));
    }

    @Test
    void whatARankHeldThatHasLeftIsGrantedToWhoAsksLater() throws Exception {
        ranks.get(BYSTANDER).end();
        holdAll();
        ranks.get(HOLDER).end();
        assertThatWhoAsksIsGranted();
    }

    @Test
    void whatARankHeldThatHasLeftIsGrantedToWhoWaits() throws Exception {
        holdAll();
        ranks.get(BYSTANDER).end();
        forEach((rank, request) -> rank.ask("wait " + request));
        ranks.get(HOLDER).end();
        forEach((rank, request) -> assertThat(rank.ask("told " + request)).as(request).isEqualTo("recovered"));
    }

    @Test
    void whatAKilledRankHeldIsGrantedWhenItIsBackWithoutItsSegment() throws Exception {
        holdAll();
        forEach((rank, request) -> rank.ask("wait " + request));
        ranks.get(HOLDER).kill();
        Files.delete(folder.resolve("atoll-locks-" + HOLDER + ".segment"));
        ranks.set(HOLDER, ChildProcess.start(LockHolderProcess.class));
        ranks.get(HOLDER).ask("join " + folder + " " + RANKS + " " + HOLDER);
        forEach((rank, request) -> assertThat(rank.ask("told " + request)).as(request).isEqualTo("recovered"));
    }

    /** Returns locks that lie at survivors, the same number at each. */
    private static IntStream locks() {
        return IntStream.range(0, TRIALS).map(trial -> trial / 2 * RANKS + trial % SURVIVORS.size());
    }

    private void holdAll() {
        for (LockAlgorithm algorithm : LockAlgorithm.values()) {
            String locks = String.join(" ", locks().mapToObj(String::valueOf).toList());
            ranks.get(HOLDER).ask("hold " + algorithm + " " + locks);
        }
    }

    /** Waits a second, until no rank has the dead rank's segment mapped any more. Then survivors ask for the locks. */
    private void assertThatWhoAsksIsGranted() {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        while (System.nanoTime() - until < 0) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
        forEach((rank, request) -> assertThat(rank.ask("ask " + request)).as(request).isEqualTo("recovered"));
    }

    private interface Asking {
        void ask(ChildProcess rank, String request);
    }

    /** Each lock's owner asks for it in one algorithm, and the other survivor in the next. */
    private void forEach(Asking asking) {
        for (LockAlgorithm algorithm : LockAlgorithm.values()) {
            locks().forEach(lock -> {
                int asker = (lock / RANKS + lock % RANKS) % SURVIVORS.size();
                asking.ask(ranks.get(SURVIVORS.get(asker)), algorithm + " " + lock);
            });
        }
    }
}
