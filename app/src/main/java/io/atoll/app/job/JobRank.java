package io.atoll.app.job;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.failure.AtollException;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.failure.MissingRanksException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** This process as a rank of a job: what it was told by its parent, and what it tells it. */
public final class JobRank {

    /** What every rank of a job does; the parent makes it and sends it to them. */
    @FunctionalInterface
    public interface Program extends Serializable {

        /** Anything thrown ends the job. */
        void run(JobRank rank) throws Exception;
    }

    private static final String RANK_PROPERTY = "atoll.job.rank";
    private static final int FAILED = 2;
    private static final long PAGE_BYTES = 4096;
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(60);
    private static final long PROGRESS_NANOS = Duration.ofMillis(100).toNanos();

    private final Assignment assignment;
    private final PrintStream parent;
    private long nextProgressNanos = System.nanoTime();

    private JobRank(Assignment assignment, PrintStream parent) {
        this.assignment = assignment;
        this.parent = parent;
    }

    /** What makes a process the rank of a job. */
    static String systemProperty(int rank) {
        return "-D" + RANK_PROPERTY + "=" + rank;
    }

    /** Whether this process has been started by a job. */
    public static boolean isThisProcess() {
        return System.getProperty(RANK_PROPERTY) != null;
    }

    /**
     * Runs what the parent says, and then waits to be ended by it. Does not return. Should the program fail, the process ends at once and
     * without leaving the world: the parent must hear of the failure before other ranks notice.
     */
    public static void runThisProcess() {
        PrintStream parent = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        // Standard output is for the parent only.
        System.setOut(System.err);
        try {
            Assignment assignment = Assignment.read(System.in);
            Thread watch = Thread.ofPlatform()
                    .daemon()
                    .name("parent-watch")
                    .start(() -> outlive(System.in, assignment.files()));
            JobRank rank = new JobRank(assignment, parent);
            if (rank.runProgram()) {
                watch.join();
            }
        } catch (IOException | ClassNotFoundException | InterruptedException failure) {
            failure.printStackTrace();
        } finally {
            Runtime.getRuntime().halt(FAILED);
        }
    }

    /** The parent says no more: the end of its stream is the parent's end, however it ended. */
    private static void outlive(InputStream parent, JobFiles files) {
        try {
            parent.transferTo(OutputStream.nullOutputStream());
            files.remove();
        } catch (IOException failure) {
            failure.printStackTrace();
        } finally {
            Runtime.getRuntime().halt(FAILED);
        }
    }

    private boolean runProgram() {
        try {
            assignment.program().run(this);
            tell(new RankEvent.Done());
            return true;
        } catch (Throwable failure) {
            failure.printStackTrace();
            tell(new RankEvent.Failure(blamed(failure), reason(failure)));
            return false;
        }
    }

    private static int blamed(Throwable failure) {
        return switch (failure) {
            case RankUnreachableException unreachable -> unreachable.rank();
            case FabricTimeoutException timeout -> timeout.rank();
            case MissingRanksException missing -> missing.missingRanks().getFirst();
            default -> RankEvent.Failure.NOBODY;
        };
    }

    private static String reason(Throwable failure) {
        return failure instanceof JobException || failure instanceof AtollException
                ? failure.getMessage()
                : failure.toString();
    }

    public int rank() {
        return assignment.rank();
    }

    /** How many ranks the job has. */
    public int size() {
        return assignment.size();
    }

    /** The file that becomes the job's result, if it has one. It exists, and all ranks may write to it. */
    public Optional<Path> unfinishedResult() {
        return assignment.files().unfinished();
    }

    /**
     * Joins the job's world; returns when every rank has. Nobody need leave it.
     *
     * @param segmentBytes what each rank offers; rounded up to whole pages
     */
    public World join(long segmentBytes) throws InterruptedException {
        JobFiles files = assignment.files();
        World world = World.named(files.world())
                .size(size())
                .rank(rank())
                .fabric(Fabrics.sharedMemory(files.folder(), false))
                .segment(Layouts.roundUp(segmentBytes, PAGE_BYTES))
                .join(JOIN_TIMEOUT);
        tell(new RankEvent.Ready());
        return world;
    }

    /** Shown by the parent, as one bar for all ranks. Cheap enough to be called thousands of times a second. */
    public void progress(long done, long total) {
        if (System.nanoTime() - nextProgressNanos >= 0) {
            nextProgressNanos = System.nanoTime() + PROGRESS_NANOS;
            tell(new RankEvent.Progress(done, total));
        }
    }

    /** A line of the job's result, which the parent prints once all ranks have done their part. */
    public void print(String line) {
        tell(new RankEvent.Output(line));
    }

    private void tell(RankEvent event) {
        // One write, so that lines of several threads do not mix.
        byte[] line = (event.toLine() + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
        parent.write(line, 0, line.length);
        parent.flush();
    }
}
