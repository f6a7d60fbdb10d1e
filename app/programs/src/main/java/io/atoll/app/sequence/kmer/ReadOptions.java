package io.atoll.app.sequence.kmer;

import io.atoll.app.job.ProcessOptions;
import io.atoll.app.job.ProgressBar;
import io.atoll.app.sequence.SequenceInput;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The options of a job that reads k-mers: the files of reads, and its processes. */
public final class ReadOptions {

    @Mixin
    private ProcessOptions processes = new ProcessOptions();

    @Parameters(paramLabel = "FILE", arity = "1..*", description = "The files of reads.")
    private List<String> files = List.of();

    public Path sharedMemory() {
        return processes.sharedMemory();
    }

    public boolean debug() {
        return processes.debug();
    }

    public SequenceInput input() {
        return SequenceInput.of(files);
    }

    /**
     * Reads all files once before the ranks do. So any fault in them is known before a rank has started.
     *
     * @param length the number of bases of a k-mer
     */
    public static DistinctSample sample(SequenceInput input, int length) {
        DistinctSample sample = new DistinctSample();
        try (ProgressBar bar = new ProgressBar("reading", 1)) {
            input.visit(new KmerScanner(length, 0, 1, sample), (done, total) -> bar.update(0, done, total));
        }
        return sample;
    }
}
