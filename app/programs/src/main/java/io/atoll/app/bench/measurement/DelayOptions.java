package io.atoll.app.bench.measurement;

import io.atoll.app.command.CommandException;
import io.atoll.fabric.trace.Delay;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Map;
import org.springframework.boot.convert.DurationStyle;
import picocli.CommandLine.Option;

/** The options for the network that a benchmark simulates. */
final class DelayOptions {

    @Option(names = "--delay", paramLabel = "DURATION", description = "Simulates a network: adds this time to each "
            + "round trip, such as 2us. A trip to the own memory through the fabric takes it, too. Defaults to "
            + "no delay.")
    private String roundTrip = "0ns";

    @Option(names = "--delay-per-byte", paramLabel = "NANOSECONDS", defaultValue = "0", description = "Also adds this "
            + "time to each byte, such as 0.1. Defaults to ${DEFAULT-VALUE}.")
    private double nanosPerByte;

    public Delay delay() {
        try {
            Duration duration = DurationStyle.SIMPLE.parse(roundTrip);
            return new Delay(duration.toNanos(), nanosPerByte);
        } catch (IllegalArgumentException | DateTimeParseException wrong) {
            throw new CommandException(
                    "--delay must be a time such as 2us, and --delay-per-byte a number of nanoseconds"
                            + " such as 0.1: delay="
                            + roundTrip + " delay-per-byte=" + nanosPerByte);
        }
    }

    /** Adds the delay to the parameters of a benchmark, if there is one. */
    public void describe(Map<String, String> parameters) {
        if (!delay().isNone()) {
            parameters.put("delay", delay().toString());
        }
    }
}
