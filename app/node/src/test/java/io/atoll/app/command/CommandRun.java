package io.atoll.app.command;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;

/** The result of a command line that this process has run. */
public record CommandRun(int exitCode, List<String> output, List<String> errors) {

    public static CommandRun of(CommandLine command, String... arguments) {
        StringWriter output = new StringWriter();
        StringWriter errors = new StringWriter();
        int exitCode = command.setOut(new PrintWriter(output, true))
                .setErr(new PrintWriter(errors, true))
                .execute(arguments);
        return new CommandRun(exitCode, output.toString().lines().toList(), errors.toString().lines().toList());
    }

    /** Returns the figures of a job's summary. */
    public Map<String, String> figures() {
        return output.stream()
                .map(line -> line.split(" {2,}"))
                .collect(Collectors.toMap(words -> words[0].strip(), words -> words[words.length - 1].strip()));
    }
}
