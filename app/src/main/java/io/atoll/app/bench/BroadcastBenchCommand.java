package io.atoll.app.bench;

import io.atoll.collective.model.Algorithm;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command line of the broadcasts' benchmark. */
@Command(name = "broadcast", sortOptions = false, description = {
    "Measures broadcasts of 2 KiB, 4 KiB, ... from rank 0 to all, linear and along a binomial tree, until the root knows that all",
    "have it, beside what the model LogGP predicts (Paznikov, figures 13 to 16). The longest has --elements words."})
final class BroadcastBenchCommand implements Callable<Integer> {

    private static final long SHORTEST_BYTES = 2 << 10;

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        options.run("broadcast", (elements, rounds) -> new BroadcastBenchmark(sizes(elements * (long) Long.BYTES),
                Arrays.asList(Algorithm.values()), rounds), spec.commandLine().getOut());
        return 0;
    }

    private static List<Long> sizes(long most) {
        long shortest = Math.min(SHORTEST_BYTES, most);
        return Stream.iterate(shortest, bytes -> bytes <= most, bytes -> 2 * bytes).toList();
    }
}
