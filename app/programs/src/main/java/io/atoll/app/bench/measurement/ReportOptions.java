package io.atoll.app.bench.measurement;

import java.io.PrintWriter;
import picocli.CommandLine.Option;

/** The option for how the result of a benchmark is shown. */
public final class ReportOptions {

    @Option(names = "--json", description = "Prints JSON instead of a table.")
    private boolean json;

    public void print(Report report, PrintWriter output) {
        report.print(json, output);
    }

    /** Prints a line that only people read. */
    void say(String line, PrintWriter output) {
        if (!json) {
            output.println(line);
            output.flush();
        }
    }
}
