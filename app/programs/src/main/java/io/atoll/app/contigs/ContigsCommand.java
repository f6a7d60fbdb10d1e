package io.atoll.app.contigs;

import io.atoll.app.command.CommandException;
import io.atoll.app.job.Job;
import io.atoll.app.job.ProgressBar;
import io.atoll.app.job.ResultFile;
import io.atoll.app.sequence.SequenceInput;
import io.atoll.app.sequence.kmer.DistinctSample;
import io.atoll.app.sequence.kmer.Kmer;
import io.atoll.app.sequence.kmer.KmerScanner;
import io.atoll.fabric.shm.SharedMemory;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command line of contig generation. */
@Command(name = "contigs", sortOptions = false, description = {
    "Assembles sequencing reads into contigs: the unitigs of the de Bruijn graph of their k-mers.",
    "It reads FASTA and FASTQ, plain or gzip."})
public final class ContigsCommand implements Callable<Integer> {

    private static final int MOST_RANKS = 1 << 10;

    @Option(names = "--k", description = "The number of bases of a k-mer, odd, from 3 to 31. Defaults to "
            + "${DEFAULT-VALUE}.")
    private int length = 21;

    @Option(names = "--min", paramLabel = "COUNT", description = "Leaves out k-mers that occur less often. "
            + "Defaults to ${DEFAULT-VALUE}.")
    private long minimum = 2;

    @Option(names = "--ranks", description = "The number of processes that work. Defaults to ${DEFAULT-VALUE}, one "
            + "for each processor.")
    private int ranks = Runtime.getRuntime().availableProcessors();

    @Option(names = "--out", paramLabel = "FILE", description = "Writes the contigs to this file as FASTA, in no "
            + "order. Each one is written as one of its two strands.")
    private @Nullable Path out;

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
        // A k-mer of even length can be its own reverse complement. It would not have two directions.
        require(length >= 3 && length <= Kmer.MAXIMUM_LENGTH && length % 2 == 1,
                "--k must be odd, from 3 to " + Kmer.MAXIMUM_LENGTH + ": k=" + length);
        require(ranks >= 1 && ranks <= MOST_RANKS, "--ranks must be from 1 to " + MOST_RANKS + ": ranks=" + ranks);
        require(minimum >= 1, "--min must be at least 1: min=" + minimum);
        Optional<ResultFile> contigs = Optional.ofNullable(out).map(ResultFile::at);
        contigs.ifPresent(ResultFile::requireWritable);
        SequenceInput input = SequenceInput.of(files);
        try (Job job = new Job(spec.name(), ranks, sharedMemory, contigs.map(ResultFile::unfinished), debug)) {
            Job.Outcome outcome = job.run(new ContigGeneration(input, length, minimum, distinct(input), ranks));
            contigs.ifPresent(ResultFile::finish);
            outcome.output().forEach(spec.commandLine().getOut()::println);
            spec.commandLine().getOut().flush();
        }
        return 0;
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new CommandException(message);
        }
    }

    /** Reads all files once before the ranks do. So any fault in them is known before a rank has started. */
    private long distinct(SequenceInput input) {
        DistinctSample sample = new DistinctSample();
        try (ProgressBar bar = new ProgressBar("reading", 1)) {
            input.visit(new KmerScanner(length, 0, 1, sample), (done, total) -> bar.update(0, done, total));
        }
        return Math.max(1, sample.distinctAtMost());
    }
}
