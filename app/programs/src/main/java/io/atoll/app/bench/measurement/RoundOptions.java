package io.atoll.app.bench.measurement;

import static io.atoll.app.command.CommandException.require;

import java.util.Map;
import picocli.CommandLine.Option;

/** The options for how often a benchmark measures. */
public final class RoundOptions {

    @Option(names = "--warmups", description = "The number of rounds before those that count. Defaults to "
            + "${DEFAULT-VALUE}.")
    private int warmups;

    @Option(names = "--runs", description = "The number of rounds that count. Defaults to ${DEFAULT-VALUE}.")
    private int runs;

    public RoundOptions() {
        this(2, 5);
    }

    /**
     * @param warmups the default number of warm-up rounds
     * @param runs the default number of measured rounds
     */
    public RoundOptions(int warmups, int runs) {
        this.warmups = warmups;
        this.runs = runs;
    }

    public Rounds rounds() {
        require(warmups >= 0 && runs >= 1,
                "--warmups must be 0 or more, and --runs must be 1 or more: warmups=" + warmups + " runs=" + runs);
        return new Rounds(warmups, runs);
    }

    /** Adds the number of measured rounds to the parameters of a benchmark. */
    public void describe(Map<String, String> parameters) {
        parameters.put("runs", String.valueOf(runs));
    }
}
