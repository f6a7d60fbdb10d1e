package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.process.ChildProcess;
import io.atoll.process.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A rank is killed, loses its segment, and is started again, over and over. The other ranks keep running. Here the
 * ranks use shared memory; subclasses choose other hosts.
 */
@Tag("processes")
@Timeout(value = 900, unit = TimeUnit.SECONDS)
class LostSegmentProcessesTest {

    private static final int RANKS = 3;
    private static final int LOSSES = Integer.getInteger("atoll.losses", 5);
    private static final int ROUNDS = Integer.getInteger("atoll.rounds", 2);
    private static final long LONGEST_MILLIS = 60_000;

    @TempDir
    private Path folder;

    private final List<ChildProcess> ranks = new ArrayList<>();
    private Class<? extends Program> program = LostSegmentProgram.class;

    @BeforeEach
    final void makeHosts() throws Exception {
        prepare();
    }

    private void start(Class<? extends Program> each) {
        program = each;
        for (int rank = 0; rank < RANKS; rank++) {
            ranks.add(ChildProcess.start(program));
        }
        for (int rank = 0; rank < RANKS; rank++) {
            join(rank);
        }
        ranks.forEach(rank -> rank.ask("open"));
    }

    @AfterEach
    void end() {
        ranks.forEach(ChildProcess::close);
    }

    /** Prepares what is needed before any rank is started. */
    void prepare() throws Exception {
        // Shared memory needs one folder only.
    }

    /** Returns the folder of the rank's segment. */
    Path host(int rank) {
        return folder;
    }

    /** Returns further arguments for the rank. */
    String more() {
        return "";
    }

    private String join(int rank) {
        return begin(rank).join();
    }

    private CompletableFuture<String> begin(int rank) {
        return ranks.get(rank).tell("join " + host(rank) + " " + RANKS + " " + rank + more());
    }

    /** Kills the ranks together, and starts them again with other segments. */
    private void lose(int... lost) throws Exception {
        for (int rank : lost) {
            ranks.get(rank).kill();
        }
        List<CompletableFuture<String>> joined = new ArrayList<>();
        for (int rank : lost) {
            Files.delete(host(rank).resolve("atoll-lossy-" + rank + ".segment"));
            ranks.set(rank, ChildProcess.start(program));
            joined.add(begin(rank));
        }
        joined.forEach(incarnation -> assertThat(Integer.parseInt(incarnation.join())).isGreaterThan(1));
    }

    @Test
    void theOthersGoOnWithARankThatComesBackWithoutItsSegment() throws Exception {
        start(LostSegmentProgram.class);
        for (int loss = 1; loss <= LOSSES; loss++) {
            int lost = loss % 4 == 0 ? 0 : 2;
            assertThat(counted(1, lost)).isPositive();
            lose(lost);
            long beganNanos = System.nanoTime();
            assertThat(counted(1, lost)).as("begins empty").isEqualTo(1);
            System.out.printf("rank %d came back without its segment and was used after %d ms%n", lost,
                    Duration.ofNanos(System.nanoTime() - beganNanos).toMillis());
            ranks.get(lost).ask("open");
            assertThat(counted(lost, lost)).as("the same for all").isEqualTo(2);
            assertThat(counted(2 - lost, 1)).as("what is not lost").isEqualTo(loss);
        }
    }

    /** Most electors of the world are replaced, each at another time. */
    @Test
    void anyOneGoesOnWithTwoThatComeBackWithoutTheirSegments() throws Exception {
        start(LostSegmentProgram.class);
        for (int kept = 0; kept < RANKS; kept++) {
            int next = (kept + 1) % RANKS;
            int last = (kept + 2) % RANKS;
            long before = counted(kept, kept);
            lose(next, last);
            assertThat(counted(kept, next)).as("begins empty").isEqualTo(1);
            ranks.get(next).ask("open");
            ranks.get(last).ask("open");
            assertThat(counted(last, next)).as("the same for all").isEqualTo(2);
            assertThat(counted(next, kept)).as("what is not lost").isEqualTo(before + 1);
        }
    }

    /**
     * This is like a rolling update of pods without a disk. No other rank is restarted, and all ranks count all the
     * time.
     */
    @Test
    void allRanksAreReplacedUnderLoad() throws Exception {
        start(LostSegmentProgram.class);
        ranks.forEach(rank -> rank.ask("load"));
        int[] losses = new int[RANKS];
        for (int round = 0; round < ROUNDS; round++) {
            for (int lost = RANKS - 1; lost >= 0; lost--) {
                lose(lost);
                losses[lost]++;
                ranks.get(lost).ask("open");
                ranks.get(lost).ask("load");
                for (int rank = 0; rank < RANKS; rank++) {
                    assertThat(ranks.get(rank).ask("await")).as("rank %d, after rank %d was lost", rank, lost)
                            .isEqualTo("all are used");
                }
            }
        }
        for (ChildProcess rank : ranks) {
            assertRight(rank.ask("unload"), losses);
        }
    }

    /**
     * Checks that counts have only grown, except where they were lost. Each failed operation must have failed as
     * documented.
     */
    private static void assertRight(String load, int[] losses) {
        String[] told = load.split(" ", 3);
        assertThat(Long.parseLong(told[0])).as("operations").isPositive();
        String[] resets = told[1].split(",");
        for (int owner = 0; owner < RANKS; owner++) {
            assertThat(Integer.parseInt(resets[owner])).as("times that rank %d began empty", owner)
                    .isLessThanOrEqualTo(losses[owner]);
        }
        assertThat(told[2]).as("what went wrong").isEqualTo("nothing");
    }

    @Test
    void everyKindOfStructureIsUsedFromTheRankThatIsBackAndFromTheOthers() throws Exception {
        start(LostKindsProgram.class);
        int turn = 0;
        useEveryKind(0, ++turn);
        for (int lost : new int[]{2, 0, 2}) {
            assertThat(ranks.get(1).ask("push 5")).isEqualTo("true");
            lose(lost);
            ranks.get(lost).ask("open");
            assertThat(ranks.get(1).ask("pop")).isEqualTo(lost == 2 ? "5 5 -1 -1 -1 -1" : "5 5 5 5 5 5");
            useEveryKind(lost, ++turn);
        }
    }

    private void useEveryKind(int rank, int turn) throws Exception {
        for (int other : new int[]{1, 2 - rank}) {
            assertThat(ranks.get(rank).ask("push " + turn)).isEqualTo("true");
            assertThat(ranks.get(other).ask("pop")).isEqualTo(String.join(" ", Collections.nCopies(6, "" + turn)));
            assertThat(ranks.get(other).ask("push 7")).isEqualTo("true");
            assertThat(ranks.get(rank).ask("pop")).isEqualTo("7 7 7 7 7 7");
        }
        for (int root : new int[]{rank, 1, 2 - rank}) {
            ranks.get(root).ask("send " + (10 * turn + root));
            assertThat(ranks).allSatisfy(each -> assertThat(each.ask("received")).isEqualTo("" + (10 * turn + root)));
        }
        List<CompletableFuture<String>> results = ranks.stream().map(each -> each.tell("together " + turn)).toList();
        for (CompletableFuture<String> result : results) {
            assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo(3 * turn + 3 + " 300");
        }
    }

    /** Returns what a rank has counted at an owner. Retries for a while. */
    private long counted(int rank, int owner) {
        String[] told = ranks.get(rank).ask("count " + owner).split(" ");
        assertThat(Long.parseLong(told[1])).as("milliseconds").isLessThan(LONGEST_MILLIS);
        return Long.parseLong(told[0]);
    }
}
