package io.atoll.app.job;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.WorldBuilder;
import io.atoll.failure.AtollException;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.failure.MissingRanksException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** This process as a rank of a job: what it was told by its parent, and what it tells it. */
public final class JobRank {

    /** What every rank of a job does; the parent makes it and sends it to them. */
    @FunctionalInterface
    public interface Program extends Serializable {

        /** Anything thrown ends the job. */
        void run(JobRank rank) throws Exception;

        /** What a rank's process may take for objects: little, since what ranks work on lies in segments, unless the program says otherwise. */
        default long heapBytes() {
            return 256 << 20;
        }
    }

    private static final int FAILED = 2;
    private static final long PAGE_BYTES = 4096;
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(60);
    private static final long PROGRESS_NANOS = Duration.ofMillis(100).toNanos();

    private final RankIdentity identity;
    private final PrintStream parent;
    private long nextProgressNanos = System.nanoTime();

    private JobRank(RankIdentity identity, PrintStream parent) {
        this.identity = identity;
        this.parent = parent;
    }

    /** Runs this process as the rank that a job has started it to be, and does not return; does nothing in any other process. */
    public static void runIfStartedByAJob() {
        RankIdentity.ofThisProcess().ifPresent(identity -> {
            // Standard output is for the parent only.
            PrintStream parent = new PrintStream(new FileOutputStream(FileDescriptor.out), false,
                    StandardCharsets.UTF_8);
            System.setOut(System.err);
            new JobRank(identity, parent).followParent();
        });
    }

    private void followParent() {
        try {
            Program program = program(System.in);
            Thread.ofPlatform().name("rank-" + rank()).start(() -> work(program));
            // The parent says no more. The end of its stream is its end, however it ended.
            System.in.transferTo(OutputStream.nullOutputStream());
        } catch (IOException | ClassNotFoundException failure) {
            failure.printStackTrace();
        } finally {
            removeFilesAndEnd();
        }
    }

    private void removeFilesAndEnd() {
        try {
            identity.files().remove();
        } finally {
            Runtime.getRuntime().halt(FAILED);
        }
    }

    /** Ends the process where the program fails, at once and without leaving the world: the parent must hear of it before other ranks notice. */
    private void work(Program program) {
        try {
            program.run(this);
            tell(new RankEvent.Done());
        } catch (Throwable failure) {
            failure.printStackTrace();
            tell(new RankEvent.Failure(blamed(failure), reason(failure)));
            Runtime.getRuntime().halt(FAILED);
        }
    }

    /** The program as it is told to a process. */
    static byte[] toBytes(Program program) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(bytes)) {
            objects.writeObject(program);
        } catch (IOException failure) {
            throw new IllegalArgumentException("a program and all it refers to are serializable: program=" + program,
                    failure);
        }
        return bytes.toByteArray();
    }

    private static Program program(InputStream stream) throws IOException, ClassNotFoundException {
        return (Program) new ObjectInputStream(stream).readObject();
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
        return identity.rank();
    }

    /** How many ranks the job has. */
    public int size() {
        return identity.size();
    }

    /** The file that becomes the job's result, if it has one. It exists, and all ranks may write to it. */
    public Optional<Path> unfinishedResult() {
        return identity.files().unfinished();
    }

    /** Where this rank's part of the result begins, if each rank knows how long its own is: behind those of the ranks before it. Called by every rank. */
    public long bytesBefore(World world, long own) throws InterruptedException {
        long[] bytes = new long[size()];
        bytes[rank()] = own;
        world.allReduce(bytes, Long::sum);
        return Arrays.stream(bytes, 0, rank()).sum();
    }

    /**
     * Joins the job's world; returns when every rank has. Nobody need leave it.
     *
     * @param segmentBytes what each rank offers; rounded up to whole pages
     */
    public World join(long segmentBytes) throws InterruptedException {
        return join(segmentBytes, builder -> builder);
    }

    /** As {@link #join(long)}, a world of which more is said. */
    public World join(long segmentBytes, UnaryOperator<WorldBuilder> more) throws InterruptedException {
        JobFiles files = identity.files();
        WorldBuilder described = World.named(files.world())
                .size(size())
                .rank(rank())
                .fabric(Fabrics.delayed(identity.fabric().in(files.folder()), identity.delay()))
                .segment(Layouts.roundUp(segmentBytes, PAGE_BYTES));
        World world = more.apply(described).join(JOIN_TIMEOUT);
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
