package io.atoll.app;

import io.atoll.app.check.CheckCommand;
import io.atoll.app.check.RdmaCheckCommand;
import io.atoll.app.command.CommandException;
import io.atoll.app.node.Node;
import io.atoll.failure.AtollException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.unit.DataSize;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * The program of the node's jar. It is a {@link Node}, or runs a command by its name and options. A command may fail
 * for a reason that its user can act on. Then the program prints one line and ends with exit code 2. It does the same
 * if the command line cannot be understood. A program with more commands extends this class.
 */
@Command(name = "java -jar atoll-node.jar", synopsisSubcommandLabel = "[COMMAND]", description = {
    "Runs one of the commands below.",
    "Without a command, runs a node: a rank of a world, with a console that shows the world.",
    "--ranks=3 starts three ranks on this machine.",
    "--demo puts some load on structures of every kind, so that the console has something to show.",
    "All other options are properties of Spring Boot, such as --atoll.world.size=3 and --server.port=9000."})
public class NodeApplication implements Runnable {

    private static final int FAILED = 2;
    private static final int BROKEN = 1;
    private static final int INTERRUPTED = 130;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = {"-h", "--help"}, scope = ScopeType.INHERIT, usageHelp = true, description = "Shows this help.")
    private boolean help;

    public static void main(String[] args) {
        new NodeApplication().start(args);
    }

    /** Starts a node, or runs a command and ends the process. */
    protected final void start(String[] args) {
        if (Node.isMeant(args)) {
            Node.start(args);
        } else {
            System.exit(commandLine().execute(args));
        }
    }

    /** Returns the commands of this program, in the order in which the help lists them. */
    protected List<Object> commands() {
        return List.of(new CheckCommand(), new RdmaCheckCommand());
    }

    public final CommandLine commandLine() {
        CommandLine line = new CommandLine(this);
        commands().forEach(line::addSubcommand);
        // A converter applies to those commands only that the line has already.
        return line.registerConverter(DataSize.class, NodeApplication::dataSize)
                .registerConverter(Duration.class, NodeApplication::duration)
                // A file of reads may well have a name that begins with @.
                .setExpandAtFiles(false)
                .setParameterExceptionHandler(NodeApplication::misunderstood)
                .setExecutionExceptionHandler(NodeApplication::failed);
    }

    private static DataSize dataSize(String text) {
        try {
            return DataSize.parse(text);
        } catch (IllegalArgumentException failure) {
            throw new TypeConversionException("a size is a number and B, KB, MB, GB or TB: '" + text + "'");
        }
    }

    private static Duration duration(String text) {
        try {
            return DurationStyle.SIMPLE.parse(text);
        } catch (IllegalArgumentException | DateTimeParseException failure) {
            throw new TypeConversionException("a duration is a number and ms, s, m or h: '" + text + "'");
        }
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "The command line names no command.");
    }

    /** Shows the usage if the user seems not to know it. Shows one line if the user merely gave a wrong value. */
    private static int misunderstood(ParameterException failure, String[] args) {
        CommandLine command = failure.getCommandLine();
        PrintWriter errors = command.getErr();
        errors.println(failure.getMessage());
        boolean wrongValue = failure.getArgSpec() != null || failure instanceof MissingParameterException;
        if (!wrongValue) {
            command.usage(errors);
        }
        return FAILED;
    }

    private static int failed(Exception failure, CommandLine command, ParseResult parsed) {
        if (failure instanceof CancellationException) {
            return INTERRUPTED;
        }
        if (command.getParseResult().matchedOptionValue("--debug", false)) {
            failure.printStackTrace(command.getErr());
        }
        boolean understood = failure instanceof CommandException || failure instanceof AtollException;
        String message = understood ? failure.getMessage() : failure + " (--debug shows where)";
        command.getErr().println(command.getCommandName() + ": " + message);
        return understood ? FAILED : BROKEN;
    }
}
