package io.atoll.app.contigs;

import static io.atoll.app.command.CommandException.require;

import io.atoll.app.job.Job;
import io.atoll.app.job.ProcessOptions;
import io.atoll.app.job.ResultFile;
import io.atoll.app.sequence.SequenceInput;
import io.atoll.app.sequence.kmer.Kmer;
import io.atoll.app.sequence.kmer.ReadOptions;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of contig generation. */
@Command(name = "contigs", sortOptions = false, description = {
    "Assembles sequencing reads into contigs: the unitigs of the de Bruijn graph of their k-mers.",
    "It reads FASTA and FASTQ, plain or gzip."})
public final class ContigsCommand implements Callable<Integer> {

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

    @Mixin
    private ReadOptions reads = new ReadOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        // A k-mer of even length can be its own reverse complement. It would not have two directions.
        require(length >= 3 && length <= Kmer.MAXIMUM_LENGTH && length % 2 == 1,
                "--k must be odd, from 3 to " + Kmer.MAXIMUM_LENGTH + ": k=" + length);
        ProcessOptions.requireRanks(ranks, 1);
        require(minimum >= 1, "--min must be at least 1: min=" + minimum);
        Optional<ResultFile> contigs = Optional.ofNullable(out).map(ResultFile::at);
        contigs.ifPresent(ResultFile::requireWritable);
        SequenceInput input = reads.input();
        try (Job job = new Job(spec.name(), ranks, reads.sharedMemory(), contigs.map(ResultFile::unfinished),
                reads.debug())) {
            long distinct = Math.max(1, ReadOptions.sample(input, length).distinctAtMost());
            Job.Outcome outcome = job.run(new ContigGeneration(input, length, minimum, distinct, ranks));
            contigs.ifPresent(ResultFile::finish);
            outcome.print(spec.commandLine().getOut());
        }
        return 0;
    }
}
