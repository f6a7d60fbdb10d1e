package io.atoll.app.isx;

import static io.atoll.app.command.CommandException.require;

import io.atoll.app.job.Job;
import io.atoll.app.job.ProcessOptions;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of the integer sort. */
@Command(name = "isx", sortOptions = false, description = {
    "Sorts random integers over all ranks. Each rank has the same number of keys.",
    "Verifies that the keys are sorted and that no key is lost. Prints the time of each phase."})
public final class IsxCommand implements Callable<Integer> {

    private static final int FULL_MESSAGE = 1024;
    private static final int MOST_KEYS = 1 << 28;
    private static final int MOST_COMPARED = 1 << 30;

    @Option(names = "--ranks", description = "The number of processes that sort. Defaults to ${DEFAULT-VALUE}, one "
            + "for each processor.")
    private int ranks = Runtime.getRuntime().availableProcessors();

    @Option(names = "--keys", description = "The number of keys of each rank. Defaults to ${DEFAULT-VALUE}.")
    private int keys = 1 << 24;

    @Option(names = "--message", paramLabel = "KEYS", description = "The number of keys of a message. "
            + "Defaults to " + FULL_MESSAGE + ", or to all keys if they are fewer.")
    private @Nullable Integer message;

    @Option(names = "--compare", description = "Also sorts the same keys in one process, by Arrays.parallelSort.")
    private boolean compare;

    @Mixin
    private ProcessOptions processes = new ProcessOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        ProcessOptions.requireRanks(ranks, 1);
        require(keys >= 1 && keys <= MOST_KEYS, "--keys must be from 1 to " + MOST_KEYS + ": keys=" + keys);
        int together = message == null ? Math.min(FULL_MESSAGE, keys) : message;
        require(together >= 1 && together <= keys,
                "--message must be from 1 to the number of keys: message=" + together);
        long all = (long) keys * ranks;
        require(!compare || all <= MOST_COMPARED, "--compare can sort at most " + MOST_COMPARED + " keys: keys=" + all);
        try (Job job = new Job(spec.name(), ranks, processes.sharedMemory(), Optional.empty(), processes.debug())) {
            job.run(new IntegerSort(new Keys(keys, ranks), together, compare)).print(spec.commandLine().getOut());
        }
        return 0;
    }
}
