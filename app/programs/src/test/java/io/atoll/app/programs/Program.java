package io.atoll.app.programs;

import io.atoll.app.command.CommandRun;

/** Runs the program in this process. The ranks of its jobs are processes. */
final class Program {

    private Program() {}

    static CommandRun run(String... arguments) {
        return CommandRun.of(new AtollApplication().commandLine(), arguments);
    }
}
