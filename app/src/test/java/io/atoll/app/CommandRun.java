package io.atoll.app;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;

/** The result of a command line. Its ranks were processes, its parent was this one. */
record CommandRun(int exitCode, List<String> output, List<String> errors) {

    static CommandRun of(String... arguments) {
        StringWriter output = new StringWriter();
        StringWriter errors = new StringWriter();
        CommandLine command = AtollApplication.commandLine()
                .setOut(new PrintWriter(output, true))
                .setErr(new PrintWriter(errors, true));
        int exitCode = command.execute(arguments);
        return new CommandRun(exitCode, output.toString().lines().toList(), errors.toString().lines().toList());
    }

    /** Returns the figures of a job's summary. */
    Map<String, String> figures() {
        return output.stream()
                .map(line -> line.split(" {2,}"))
                .collect(Collectors.toMap(words -> words[0].strip(), words -> words[words.length - 1].strip()));
    }
}
