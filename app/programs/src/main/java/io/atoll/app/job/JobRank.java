package io.atoll.app.job;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.WorldBuilder;
import io.atoll.app.command.CommandException;
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

/** This process as a rank of a job: what its parent has told it, and what it tells its parent. */
public final class JobRank {

    /** The work of every rank of a job. The parent makes the program and sends it to the ranks. */
    @FunctionalInterface
    public interface Program extends Serializable {

        /** Anything that is thrown ends the job. */
        void run(JobRank rank) throws Exception;

        /**
         * Returns how much memory a rank's process may take for objects. By default this is little, since the data of
         * ranks lies in segments.
         */
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

    /**
     * If a job has started this process, runs it as a rank of that job and does not return. Does nothing in any other
     * process.
     */
    public static void runIfStartedByAJob() {
        RankIdentity.ofThisProcess().ifPresent(identity -> {
            // Standard output is reserved for the parent.
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
            // The parent sends nothing more. When its stream ends, the parent has ended, for whatever reason.
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

    /**
     * Runs the program. If it fails, ends the process at once without leaving the world. The parent must hear of the
     * failure before other ranks notice it.
     */
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

    /** Returns the program in the form in which it is sent to a process. */
    static byte[] toBytes(Program program) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(bytes)) {
            objects.writeObject(program);
        } catch (IOException failure) {
            throw new IllegalArgumentException(
                    "a program and all that it refers to must be serializable: program=" + program,
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
        return failure instanceof CommandException || failure instanceof AtollException
                ? failure.getMessage()
                : failure.toString();
    }

    public int rank() {
        return identity.rank();
    }

    /** Returns the number of ranks of the job. */
    public int size() {
        return identity.size();
    }

    /**
     * Returns the file that becomes the job's result, if the job has one. The file exists, and all ranks may write to
     * it.
     */
    public Optional<Path> unfinishedResult() {
        return identity.files().unfinished();
    }

    /**
     * Returns where this rank's part of the result begins: behind the parts of the ranks before it. Each rank passes
     * the length of its own part, and every rank calls it.
     */
    public long bytesBefore(World world, long own) throws InterruptedException {
        long[] bytes = new long[size()];
        bytes[rank()] = own;
        world.allReduce(bytes, Long::sum);
        return Arrays.stream(bytes, 0, rank()).sum();
    }

    /**
     * Joins the job's world. Returns when every rank has joined. A rank need not leave the world.
     *
     * @param segmentBytes what each rank offers; rounded up to whole pages
     */
    public World join(long segmentBytes) throws InterruptedException {
        return join(segmentBytes, builder -> builder);
    }

    /** Like {@link #join(long)}, with further settings of the world. */
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

    /**
     * Reports progress, which the parent shows as one bar for all ranks. Cheap enough to be called thousands of times a
     * second.
     */
    public void progress(long done, long total) {
        if (System.nanoTime() - nextProgressNanos >= 0) {
            nextProgressNanos = System.nanoTime() + PROGRESS_NANOS;
            tell(new RankEvent.Progress(done, total));
        }
    }

    /** Prints a line of the job's result. The parent shows it once all ranks have done their part. */
    public void print(String line) {
        tell(new RankEvent.Output(line));
    }

    private void tell(RankEvent event) {
        // The line is written at once, so that lines of several threads do not mix.
        byte[] line = (event.toLine() + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
        parent.write(line, 0, line.length);
        parent.flush();
    }
}
