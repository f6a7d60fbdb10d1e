package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes of four threads each share twenty locks. The counters that the locks guard are exact, even if a
 * process is killed or stands still meanwhile.
 */
@Tag("processes")
@Timeout(value = 900, unit = TimeUnit.SECONDS)
class LockProcessesTest {

    private static final int RANKS = 3;
    private static final long ACQUISITIONS = 1_000_000;
    private static final long OF_EACH_THREAD = Math.ceilDiv(ACQUISITIONS, RANKS * LockProcess.THREADS);

    @TempDir
    private Path folder;

    private final List<ChildProcess> ranks = new ArrayList<>();

    @BeforeEach
    void start() {
        for (int rank = 0; rank < RANKS; rank++) {
            ranks.add(ChildProcess.start(LockProcess.class));
        }
        for (int rank = 0; rank < RANKS; rank++) {
            join(rank);
        }
        ranks.forEach(rank -> rank.ask("open"));
    }

    private void join(int rank) {
        ranks.get(rank).ask("join shared-memory " + folder + " " + RANKS + " " + rank);
    }

    @AfterEach
    void end() {
        ranks.forEach(ChildProcess::close);
    }

    private CompletableFuture<String> work(int rank) {
        return work(rank, OF_EACH_THREAD);
    }

    /** @param ofEachThread acquisitions of each thread, counted from the first life of the rank */
    private CompletableFuture<String> work(int rank, long ofEachThread) {
        return ranks.get(rank).tell("work " + ofEachThread);
    }

    /** Returns the sum of the counters, and the sum that the threads tell. */
    private long[] sums() {
        String[] words = ranks.getFirst().ask("sum").split(" ");
        return new long[]{Long.parseLong(words[0]), Long.parseLong(words[1])};
    }

    private static void pass(long millis) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() - until < 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    @Test
    void aMillionAcquisitionsAreCountedThoughARankStandsStillForEightSeconds() {
        List<CompletableFuture<String>> working = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            working.add(work(rank));
        }
        ranks.get(2).pause();
        pass(8_000);
        ranks.get(2).resume();
        assertThat(working).allSatisfy(each -> assertThat(each.join()).isEqualTo("recovered=0"));
        long expected = OF_EACH_THREAD * LockProcess.THREADS * RANKS;
        assertThat(sums()).containsExactly(expected, expected);
    }

    @Test
    void aMillionAcquisitionsAreCountedThoughRanksAreKilled() {
        List<CompletableFuture<String>> working = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            working.add(work(rank));
        }
        int kills = 5;
        long[] ofEachThread = new long[RANKS];
        Arrays.fill(ofEachThread, OF_EACH_THREAD);
        for (int kill = 0; kill < kills; kill++) {
            int rank = kill % RANKS;
            pass(500);
            if (working.get(rank).isDone()) {
                ofEachThread[rank] += OF_EACH_THREAD; // it is killed in the middle of its work
                work(rank, ofEachThread[rank]);
            }
            restart(rank);
            working.set(rank, work(rank, ofEachThread[rank]));
        }
        working.forEach(CompletableFuture::join);
        long told = Arrays.stream(ofEachThread).sum() * LockProcess.THREADS;
        long[] sums = sums();
        assertThat(sums[1]).isEqualTo(told);
        // A thread may have been killed between its addition and its note of it.
        assertThat(sums[0]).isBetween(told, told + (long) kills * LockProcess.THREADS);
    }

    /** Kills a rank; another process takes its place. */
    private void restart(int rank) {
        ranks.get(rank).kill();
        ranks.set(rank, ChildProcess.start(LockProcess.class));
        join(rank);
        ranks.get(rank).ask("open"); // an opening needs all ranks, so no rank is killed during it
    }
}
