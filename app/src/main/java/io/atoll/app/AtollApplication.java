package io.atoll.app;

import io.atoll.app.bench.BenchCommand;
import io.atoll.app.check.CheckCommand;
import io.atoll.app.contigs.ContigsCommand;
import io.atoll.app.isx.IsxCommand;
import io.atoll.app.job.JobException;
import io.atoll.app.job.JobRank;
import io.atoll.app.kmer.KmerCommand;
import io.atoll.app.node.Node;
import io.atoll.failure.AtollException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.format.DateTimeParseException;
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
 * The program. It is a {@link Node}, or runs a job by its name and options. If a job fails for a reason that its user
 * can act on, the program prints one line and ends with exit code 2. It does the same if the command line cannot be
 * understood.
 */
@Command(name = "java -jar atoll-app.jar", synopsisSubcommandLabel = "[JOB]", description = {
    "Runs one of the jobs below.",
    "Without a job, runs a node: a rank of a world, with a page that shows it.",
    "--demo makes some load on structures of every kind, to look at.",
    "--ranks=3 starts three of them; all others are Spring Boot's properties, such as --atoll.world.size=3, "
            + "--server.port=9000."})
public final class AtollApplication implements Runnable {

    private static final int FAILED = 2;
    private static final int BROKEN = 1;
    private static final int INTERRUPTED = 130;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = {"-h", "--help"}, scope = ScopeType.INHERIT, usageHelp = true, description = "Show this help.")
    private boolean help;

    private AtollApplication() {}

    public static void main(String[] args) {
        JobRank.runIfStartedByAJob();
        if (Node.isMeant(args)) {
            Node.start(args);
        } else {
            System.exit(commandLine().execute(args));
        }
    }

    static CommandLine commandLine() {
        return new CommandLine(new AtollApplication())
                .addSubcommand(new KmerCommand())
                .addSubcommand(new ContigsCommand())
                .addSubcommand(new IsxCommand())
                .addSubcommand(new BenchCommand())
                .addSubcommand(new CheckCommand())
                .addSubcommand(new RdmaCheckCommand())
                .registerConverter(DataSize.class, AtollApplication::dataSize)
                .registerConverter(Duration.class, AtollApplication::duration)
                // A file of reads may well have a name that begins with @.
                .setExpandAtFiles(false)
                .setParameterExceptionHandler(AtollApplication::misunderstood)
                .setExecutionExceptionHandler(AtollApplication::failed);
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
        throw new ParameterException(spec.commandLine(), "Which job?");
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
        boolean understood = failure instanceof JobException || failure instanceof AtollException;
        String message = understood ? failure.getMessage() : failure + " (--debug shows where)";
        command.getErr().println(command.getCommandName() + ": " + message);
        return understood ? FAILED : BROKEN;
    }
}
