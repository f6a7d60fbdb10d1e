package io.atoll.app.bench;

import java.util.List;
import picocli.CommandLine.Option;

/** The option that all benchmarks have. */
final class ReportFormat {

    @Option(names = "--json", description = "Print the report as JSON instead of a table.")
    private boolean json;

    /** The report's lines in the format that was asked for. */
    List<String> lines(Report report) {
        return json ? report.toJson().lines().toList() : report.toTable();
    }
}
