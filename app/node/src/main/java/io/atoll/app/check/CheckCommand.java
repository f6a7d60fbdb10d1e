package io.atoll.app.check;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The checks, a subcommand each. */
@Command(name = "check", description = "Checks a running world.", synopsisSubcommandLabel = "WHAT", subcommands = WorldCheckCommand.class)
public final class CheckCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "The command line does not say what to check.");
    }
}
