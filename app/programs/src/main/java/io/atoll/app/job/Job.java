package io.atoll.app.job;

import io.atoll.app.command.CommandException;
import io.atoll.app.job.RankEvent.Done;
import io.atoll.app.job.RankEvent.End;
import io.atoll.app.job.RankEvent.Failure;
import io.atoll.app.job.RankEvent.Output;
import io.atoll.app.job.RankEvent.Progress;
import io.atoll.app.job.RankEvent.Ready;
import io.atoll.fabric.trace.Delay;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A job of several ranks on this machine, as its parent process runs it. Every rank is a child process.
 *
 * <p>All or nothing: if one rank fails or dies, all ranks are ended, and the exception says which one failed and why.
 * However the parent ends, no process and no file of the job is left. On a signal the parent cleans up in a shutdown
 * hook. If the parent is killed, its children clean up, since their standard input ends with it.
 */
public final class Job implements AutoCloseable {

    private static final Duration BLAME_TIMEOUT = Duration.ofSeconds(2);

    private record Heard(int rank, RankEvent event) {}

    /**
     * The result of a job that went well.
     *
     * @param output the lines that its ranks printed
     * @param ready the time from the start of the first process until every rank had joined
     */
    public record Outcome(List<String> output, Duration ready) {

        /** Prints the lines. */
        public void print(PrintWriter writer) {
            output.forEach(writer::println);
            writer.flush();
        }
    }

    private final String name;
    private final int ranks;
    private final JobFabric fabric;
    private final Delay delay;
    private final boolean debug;
    private final BlockingQueue<Heard> events = new LinkedBlockingQueue<>();
    private final List<RankProcess> processes = new ArrayList<>();
    private final JobFiles files;
    private boolean closed;

    /** Like {@link #Job(String, int, JobFabric, Delay, Path, Optional, boolean)}, in shared memory. */
    public Job(String name, int ranks, Path sharedMemory, Optional<Path> unfinishedResult, boolean debug) {
        this(name, ranks, JobFabric.SHARED_MEMORY, Delay.NONE, sharedMemory, unfinishedResult, debug);
    }

    /**
     * Makes the job's files. Starts nothing yet.
     *
     * @param name what the job does, one word
     * @param delay what is added to each round trip
     * @param sharedMemory the folder in memory where the segments will lie
     * @param unfinishedResult a file that the ranks write; it is removed with the job unless the caller has moved it by
     * then
     * @param debug true to show what the ranks print on their standard error
     * @throws CommandException if the files cannot be made
     */
    public Job(String name, int ranks, JobFabric fabric, Delay delay, Path sharedMemory,
            Optional<Path> unfinishedResult, boolean debug) {
        this.name = name;
        this.ranks = ranks;
        this.fabric = fabric;
        this.delay = delay;
        this.debug = debug;
        this.files = JobFiles.create(name, sharedMemory, unfinishedResult);
        prepare();
        Runtime.getRuntime().addShutdownHook(new Thread(this::close, "job-cleanup"));
    }

    private void prepare() {
        try {
            fabric.prepare(files.folder());
        } catch (IOException failure) {
            files.remove();
            throw new CommandException("cannot make a file in " + files.folder() + ": " + failure.getMessage(),
                    failure);
        }
    }

    /**
     * Starts the ranks, and returns when all have done their part. {@link #close} ends all of them at once. A rank that
     * left earlier would look lost to ranks that are still at work.
     *
     * @param program what each rank does
     * @throws CommandException if a rank fails or dies
     * @throws CancellationException if the job is closed meanwhile, as on Ctrl-C
     */
    public Outcome run(JobRank.Program program) throws InterruptedException {
        long startNanos = System.nanoTime();
        start(program);
        List<String> output = new ArrayList<>();
        Duration ready = Duration.ZERO;
        int starting = ranks;
        int running = ranks;
        try (ProgressBar bar = new ProgressBar(name, ranks)) {
            while (running > 0) {
                Heard heard = events.take();
                switch (heard.event()) {
                    case Ready() -> {
                        if (--starting == 0) {
                            ready = Duration.ofNanos(System.nanoTime() - startNanos);
                        }
                    }
                    case Progress(long done, long total) -> bar.update(heard.rank(), done, total);
                    case Output(String line) -> output.add(line);
                    case Done() -> running--;
                    case Failure _,End _ -> throw failed(heard);
                }
            }
        }
        return new Outcome(output, ready);
    }

    private synchronized void start(JobRank.Program program) {
        byte[] bytes = JobRank.toBytes(program);
        for (int rank = 0; rank < ranks; rank++) {
            requireOpen();
            int number = rank;
            try {
                processes.add(RankProcess.start(new RankIdentity(rank, ranks, fabric, delay, files), bytes,
                        program.heapBytes(), event -> events.add(new Heard(number, event)), debug));
            } catch (IOException failure) {
                throw new CommandException("cannot start the process of rank " + rank + ": " + failure.getMessage(),
                        failure);
            }
        }
    }

    private synchronized void requireOpen() {
        if (closed) {
            throw new CancellationException("the job has been closed");
        }
    }

    /**
     * Returns the cause behind the first bad news. A rank that waited in vain for a dead rank may be heard before the
     * dead rank's end.
     */
    private CommandException failed(Heard first) throws InterruptedException {
        requireOpen();
        Heard cause = first.event() instanceof Failure(int blamed, String _) && blamed != Failure.NOBODY
                ? awaitBadNews(blamed).orElse(first)
                : first;
        String reason = switch (cause.event()) {
            case Failure(int _, String text) -> "rank " + cause.rank() + ": " + text;
            case End end -> "rank " + cause.rank() + " (process " + processes.get(cause.rank()).processId() + ") "
                    + end.description();
            default -> throw new AssertionError(cause);
        };
        return new CommandException(reason);
    }

    private Optional<Heard> awaitBadNews(int rank) throws InterruptedException {
        long deadline = System.nanoTime() + BLAME_TIMEOUT.toNanos();
        while (true) {
            Heard heard = events.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (heard == null) {
                return Optional.empty();
            }
            if (heard.rank() == rank && (heard.event() instanceof Failure || heard.event() instanceof End)) {
                return Optional.of(heard);
            }
        }
    }

    /** Ends the ranks that still run, waits until they are gone, and removes the job's files. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        processes.forEach(RankProcess::kill);
        processes.forEach(RankProcess::awaitEnd);
        files.remove();
    }
}
