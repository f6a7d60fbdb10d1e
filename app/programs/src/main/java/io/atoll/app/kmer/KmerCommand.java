package io.atoll.app.kmer;

import static io.atoll.app.command.CommandException.require;

import io.atoll.app.job.Job;
import io.atoll.app.job.JobFabric;
import io.atoll.app.job.ProcessOptions;
import io.atoll.app.job.ResultFile;
import io.atoll.app.sequence.SequenceInput;
import io.atoll.app.sequence.kmer.DistinctSample;
import io.atoll.app.sequence.kmer.Kmer;
import io.atoll.app.sequence.kmer.ReadOptions;
import io.atoll.fabric.trace.Delay;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of the k-mer job. */
@Command(name = "kmer", sortOptions = false, description = {
    "Counts the k-mers of sequencing reads, each together with its reverse complement, in one map over all ranks.",
    "It reads FASTA and FASTQ, plain or gzip. Letters other than A, C, G and T, in either case, end a k-mer."})
public final class KmerCommand implements Callable<Integer> {

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

    @Mixin
    private ReadOptions reads = new ReadOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        require(length >= 1 && length <= Kmer.MAXIMUM_LENGTH,
                "--k must be from 1 to " + Kmer.MAXIMUM_LENGTH + ": k=" + length);
        ProcessOptions.requireRanks(ranks, 1);
        require(distinct == null || distinct >= 1,
                "--distinct must be from 1 to " + MOST_DISTINCT + ": distinct=" + distinct);
        require(segment == null || segment.compareTo(SMALLEST_SEGMENT) >= 0,
                "--segment must be at least " + SMALLEST_SEGMENT.toKilobytes() + "KB: segment=" + segment);
        require(minimum >= 1, "--min must be at least 1: min=" + minimum);
        Optional<ResultFile> counts = Optional.ofNullable(out).map(ResultFile::at);
        counts.ifPresent(ResultFile::requireWritable);
        count(reads.input(), counts);
        return 0;
    }

    private void count(SequenceInput input, Optional<ResultFile> counts) throws InterruptedException {
        TablePlan plan = plan(input);
        plan.requireRoom(reads.sharedMemory());
        try (Job job = new Job(spec.name(), ranks, fabric, Delay.NONE, reads.sharedMemory(),
                counts.map(ResultFile::unfinished), reads.debug())) {
            Job.Outcome outcome = job.run(new KmerCounting(input, length, minimum, plan));
            counts.ifPresent(ResultFile::finish);
            print(outcome);
        }
    }

    private TablePlan plan(SequenceInput input) {
        TablePlan plan = bloom ? planOfFilterAndMap(ReadOptions.sample(input, length)) : planOfMap(input);
        return segment == null ? plan : plan.withSegment(segment.toBytes());
    }

    private TablePlan planOfMap(SequenceInput input) {
        long different = distinct != null ? distinct : ReadOptions.sample(input, length).distinctAtMost();
        return TablePlan.ofMap(ranks, room(different));
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

    private void print(Job.Outcome outcome) {
        PrintWriter output = spec.commandLine().getOut();
        output.printf(Locale.ROOT, "%-26s%d, ready after %.2f s%n", "ranks", ranks,
                outcome.ready().toMillis() / 1e3);
        outcome.print(output);
    }
}
