package io.atoll.app.kmer;

import io.atoll.app.command.CommandException;
import io.atoll.app.job.Job;
import io.atoll.app.job.JobFabric;
import io.atoll.app.job.ProgressBar;
import io.atoll.app.job.ResultFile;
import io.atoll.app.sequence.SequenceInput;
import io.atoll.app.sequence.kmer.DistinctSample;
import io.atoll.app.sequence.kmer.Kmer;
import io.atoll.app.sequence.kmer.KmerScanner;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.fabric.trace.Delay;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line of the k-mer job. */
@Command(name = "kmer", sortOptions = false, description = {
    "Counts the k-mers of sequencing reads, each together with its reverse complement, in one map over all ranks.",
    "It reads FASTA and FASTQ, plain or gzip. Letters other than A, C, G and T, in either case, end a k-mer."})
public final class KmerCommand implements Callable<Integer> {

    private static final int MOST_RANKS = 1 << 10;
    private static final long MOST_DISTINCT = 1L << 38;
    private static final DataSize SMALLEST_SEGMENT = DataSize.ofKilobytes(256);

    @Option(names = "--k", description = "The number of bases of a k-mer, from 1 to 31. Defaults to "
            + "${DEFAULT-VALUE}.")
    private int length = 21;

    @Option(names = "--ranks", description = "The number of processes that count. Defaults to ${DEFAULT-VALUE}, "
            + "one for each processor.")
    private int ranks = Runtime.getRuntime().availableProcessors();

    @Option(names = "--fabric", description = "How ranks reach each other's memory: ${COMPLETION-CANDIDATES}. "
            + "Defaults to ${DEFAULT-VALUE}.")
    private JobFabric fabric = JobFabric.SHARED_MEMORY;

    @Option(names = "--bloom", description = {"Keeps k-mers that occur once out of the table, by a Bloom filter.",
        "This takes less memory, and reads the files twice. Counts stay exact. The table still gets 1 %% of the "
                + "k-mers that occur once."})
    private boolean bloom;

    @Option(names = "--min", paramLabel = "COUNT", description = "Writes k-mers that occur at least this often. "
            + "Defaults to ${DEFAULT-VALUE}.")
    private long minimum = 1;

    @Option(names = "--out", paramLabel = "FILE", description = "Writes a line for each k-mer to this file: the "
            + "k-mer, a tab and its count. The lines have no order.")
    private @Nullable Path out;

    @Option(names = "--distinct", paramLabel = "N", description = {"The number of different k-mers to make room "
            + "for.",
        "Without this option the program reads the files once more, and estimates the number."})
    private @Nullable Long distinct;

    @Option(names = "--segment", paramLabel = "SIZE", description = "The memory of each rank, such as 512MB. "
            + "Defaults to what the k-mers need.")
    private @Nullable DataSize segment;

    @Option(names = "--shared-memory", paramLabel = "FOLDER", description = "The folder of the segments. Defaults "
            + "to ${DEFAULT-VALUE}.")
    private Path sharedMemory = SharedMemory.DEFAULT_FOLDER;

    @Option(names = "--debug", description = "Shows stack traces and what the ranks print.")
    private boolean debug;

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "The files of reads.")
    private List<String> files = List.of();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        require(length >= 1 && length <= Kmer.MAXIMUM_LENGTH,
                "--k must be from 1 to " + Kmer.MAXIMUM_LENGTH + ": k=" + length);
        require(ranks >= 1 && ranks <= MOST_RANKS, "--ranks must be from 1 to " + MOST_RANKS + ": ranks=" + ranks);
        require(distinct == null || distinct >= 1,
                "--distinct must be from 1 to " + MOST_DISTINCT + ": distinct=" + distinct);
        require(segment == null || segment.compareTo(SMALLEST_SEGMENT) >= 0,
                "--segment must be at least " + SMALLEST_SEGMENT.toKilobytes() + "KB: segment=" + segment);
        require(minimum >= 1, "--min must be at least 1: min=" + minimum);
        Optional<ResultFile> counts = Optional.ofNullable(out).map(ResultFile::at);
        counts.ifPresent(ResultFile::requireWritable);
        count(SequenceInput.of(files), counts);
        return 0;
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new CommandException(message);
        }
    }

    private void count(SequenceInput input, Optional<ResultFile> counts) throws InterruptedException {
        TablePlan plan = plan(input);
        plan.requireRoom(sharedMemory);
        try (Job job = new Job(spec.name(), ranks, fabric, Delay.NONE, sharedMemory,
                counts.map(ResultFile::unfinished), debug)) {
            Job.Outcome outcome = job.run(new KmerCounting(input, length, minimum, plan));
            counts.ifPresent(ResultFile::finish);
            print(outcome);
        }
    }

    private TablePlan plan(SequenceInput input) {
        TablePlan plan = bloom ? planOfFilterAndMap(estimate(input)) : planOfMap(input);
        return segment == null ? plan : plan.withSegment(segment.toBytes());
    }

    private TablePlan planOfMap(SequenceInput input) {
        return TablePlan.ofMap(ranks, room(distinct != null ? distinct : estimate(input).distinctAtMost()));
    }

    private TablePlan planOfFilterAndMap(DistinctSample sample) {
        long different = room(distinct != null ? distinct : sample.distinctAtMost());
        return TablePlan.ofFilterAndMap(ranks, different, sample.repeatedAtMost());
    }

    private static long room(long different) {
        require(different <= MOST_DISTINCT,
                "--distinct must be from 1 to " + MOST_DISTINCT + ": distinct=" + different);
        return different;
    }

    /** Reads all files once before the ranks do. So any fault in them is known before a rank has started. */
    private DistinctSample estimate(SequenceInput input) {
        DistinctSample sample = new DistinctSample();
        try (ProgressBar bar = new ProgressBar("reading", 1)) {
            input.visit(new KmerScanner(length, 0, 1, sample), (done, total) -> bar.update(0, done, total));
        }
        return sample;
    }

    private void print(Job.Outcome outcome) {
        PrintWriter output = spec.commandLine().getOut();
        output.printf(Locale.ROOT, "%-26s%d, ready after %.2f s%n", "ranks", ranks,
                outcome.ready().toMillis() / 1e3);
        outcome.output().forEach(output::println);
        output.flush();
    }
}
