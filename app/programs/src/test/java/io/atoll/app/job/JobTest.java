package io.atoll.app.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.World;
import io.atoll.app.command.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** Jobs whose parent is the test itself. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("processes")
class JobTest {

    private static final int RANKS = 3;

    @TempDir
    Path folder;
    private Path unfinished;
    private Ranks ranks;

    @BeforeEach
    void listen() throws IOException {
        unfinished = folder.resolve("unfinished");
        ranks = new Ranks();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        ranks.close();
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left).isEmpty();
        }
        assertThat(ProcessHandle.current().descendants()).isEmpty();
    }

    private Job.Outcome run(JobRank.Program program) throws InterruptedException {
        try (Job job = new Job("test", RANKS, folder, Optional.of(unfinished), false)) {
            return job.run(program);
        }
    }

    /** Starts a job that runs on while the test acts. */
    private CompletableFuture<Job.Outcome> start(Job job, JobRank.Program program) {
        return CompletableFuture.supplyAsync(() -> {
            try (job) {
                return job.run(program);
            } catch (InterruptedException failure) {
                throw new CompletionException(failure);
            }
        }, Thread::startVirtualThread);
    }

    @Test
    void ranksShareAWorldAndPrintTheResult() throws InterruptedException {
        Job.Outcome outcome = run(rank -> {
            World world = rank.join(WaitingJob.SEGMENT_BYTES);
            long[] sum = {rank.rank() + 1};
            world.allReduce(sum, Long::sum);
            rank.progress(1, 1);
            if (rank.rank() == 0) {
                rank.print(sum[0] + " of " + rank.size() + " ranks");
            }
        });
        assertThat(outcome.output()).containsExactly("6 of 3 ranks");
        assertThat(outcome.ready()).isPositive();
    }

    @Test
    void aResultThatWasMovedStays() throws Exception {
        Path result = folder.resolve("result");
        try (Job job = new Job("test", 1, folder, Optional.of(unfinished), false)) {
            job.run(rank -> Files.writeString(rank.unfinishedResult().orElseThrow(), "whole"));
            Files.move(unfinished, result);
        }
        assertThat(result).hasContent("whole");
        Files.delete(result);
    }

    @Test
    void aKilledRankEndsTheJobAndIsNamed() throws IOException {
        Job job = new Job("test", RANKS, folder, Optional.of(unfinished), false);
        CompletableFuture<Job.Outcome> outcome = start(job, new WaitingJob.Waiting(ranks.port(), true));
        List<Ranks.Met> met = ranks.await(RANKS);
        met.get(1).kill();
        assertThatThrownBy(outcome::join).cause()
                .isInstanceOf(CommandException.class)
                .hasMessage("rank 1 (process " + met.get(1).process().pid() + ") was ended by SIGKILL");
    }

    @Test
    void aKilledRankIsNamedThoughOthersWaitForIt() throws IOException {
        Job job = new Job("test", RANKS, folder, Optional.of(unfinished), false);
        CompletableFuture<Job.Outcome> outcome = start(job, new WaitingJob.Waiting(ranks.port(), true));
        List<Ranks.Met> met = ranks.await(RANKS);
        met.get(0).goOn();
        met.get(2).goOn();
        met.get(1).kill();
        assertThatThrownBy(outcome::join).cause()
                .isInstanceOf(CommandException.class)
                .hasMessageStartingWith("rank 1 (process ")
                .hasMessageEndingWith(") was ended by SIGKILL");
    }

    @Test
    void aRankThatFailsEndsTheJobWithItsReason() {
        assertThatThrownBy(() -> run(rank -> {
            World world = rank.join(WaitingJob.SEGMENT_BYTES);
            if (rank.rank() == 2) {
                throw new CommandException("no more\nof this");
            }
            world.barrier();
        })).isInstanceOf(CommandException.class).hasMessage("rank 2: no more of this");
    }

    @Test
    void aBrokenRankEndsTheJobWithItsError() {
        assertThatThrownBy(() -> run(rank -> {
            throw new StackOverflowError("too deep");
        })).isInstanceOf(CommandException.class).hasMessageMatching("rank \\d: java.lang.StackOverflowError: too deep");
    }

    @Test
    void aRankThatExitsEndsTheJob() {
        assertThatThrownBy(() -> run(rank -> {
            System.err.println("I have had enough");
            Runtime.getRuntime().halt(7);
        })).isInstanceOf(CommandException.class)
                .hasMessageMatching("rank \\d \\(process \\d+\\) ended with exit code 7: I have had enough");
    }

    @Test
    void aRankThatDoesNotFitEndsTheJob() {
        assertThatThrownBy(() -> run(rank -> rank.join(1L << 50))).isInstanceOf(CommandException.class)
                .hasMessageContaining("askedBytes=" + (1L << 50));
    }

    @Test
    void closingAJobCancelsIt() throws IOException {
        Job job = new Job("test", RANKS, folder, Optional.of(unfinished), false);
        CompletableFuture<Job.Outcome> outcome = start(job, new WaitingJob.Waiting(ranks.port(), true));
        List<Ranks.Met> met = ranks.await(RANKS);
        job.close();
        for (Ranks.Met each : met) {
            each.awaitEnd();
        }
        assertThatThrownBy(outcome::join).cause().isInstanceOf(CancellationException.class);
    }

    @Test
    void aFolderThatIsNotThereIsRefused() {
        assertThatThrownBy(() -> new Job("test", RANKS, folder.resolve("none"), Optional.empty(), false))
                .isInstanceOf(CommandException.class)
                .hasMessageStartingWith("cannot make a folder in ");
        assertThatThrownBy(() -> new Job("test", RANKS, folder, Optional.of(folder.resolve("none/file")), false))
                .isInstanceOf(CommandException.class)
                .hasMessageStartingWith("cannot make the file ");
    }
}
