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
    "FASTA and FASTQ, plain or gzip; letters other than A, C, G and T, in either case, break a k-mer."})
public final class KmerCommand implements Callable<Integer> {

    private static final int MOST_RANKS = 1 << 10;
    private static final long MOST_DISTINCT = 1L << 38;
    private static final DataSize SMALLEST_SEGMENT = DataSize.ofKilobytes(256);

    @Option(names = "--k", description = "Bases of a k-mer, 1 to 31; ${DEFAULT-VALUE} unless told.")
    private int length = 21;

    @Option(names = "--ranks", description = "Processes that count; ${DEFAULT-VALUE} unless told, one for each "
            + "processor.")
    private int ranks = Runtime.getRuntime().availableProcessors();

    @Option(names = "--fabric", description = "How they reach each other's memory: ${COMPLETION-CANDIDATES}; "
            + "${DEFAULT-VALUE} unless told.")
    private JobFabric fabric = JobFabric.SHARED_MEMORY;

    @Option(names = "--bloom", description = {"Keep k-mers that occur once out of the table, by a Bloom filter.",
        "Takes less memory and reads the files twice. Counts stay exact; 1 %% of the k-mers that occur once slip in."})
    private boolean bloom;

    @Option(names = "--min", paramLabel = "COUNT", description = "Write k-mers that occur at least so often; "
            + "${DEFAULT-VALUE} unless told.")
    private long minimum = 1;

    @Option(names = "--out", paramLabel = "FILE", description = "Write lines of k-mer, tab and count, in no order.")
    private @Nullable Path out;

    @Option(names = "--distinct", paramLabel = "N", description = {"Make room for so many different k-mers.",
        "Unless told, the files are read once more, to estimate it."})
    private @Nullable Long distinct;

    @Option(names = "--segment", paramLabel = "SIZE", description = "Memory of each rank, for example 512MB; what is "
            + "needed unless told.")
    private @Nullable DataSize segment;

    @Option(names = "--shared-memory", paramLabel = "FOLDER", description = "Where that memory lies; "
            + "${DEFAULT-VALUE} unless told.")
    private Path sharedMemory = SharedMemory.DEFAULT_FOLDER;

    @Option(names = "--debug", description = "Show stack traces and what the ranks print.")
    private boolean debug;

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "Files of reads.")
    private List<String> files = List.of();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        require(length >= 1 && length <= Kmer.MAXIMUM_LENGTH,
                "--k is from 1 to " + Kmer.MAXIMUM_LENGTH + ": k=" + length);
        require(ranks >= 1 && ranks <= MOST_RANKS, "--ranks is from 1 to " + MOST_RANKS + ": ranks=" + ranks);
        require(distinct == null || distinct >= 1,
                "--distinct is from 1 to " + MOST_DISTINCT + ": distinct=" + distinct);
        require(segment == null || segment.compareTo(SMALLEST_SEGMENT) >= 0,
                "--segment is at least " + SMALLEST_SEGMENT.toKilobytes() + "KB: segment=" + segment);
        require(minimum >= 1, "--min is at least 1: min=" + minimum);
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
        require(different <= MOST_DISTINCT, "--distinct is from 1 to " + MOST_DISTINCT + ": distinct=" + different);
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
