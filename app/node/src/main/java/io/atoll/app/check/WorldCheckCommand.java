package io.atoll.app.check;

import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Says if a world of nodes works, and ends with 0 if it does. */
@Command(name = "world", description = {
    "Counts at one rank of a world of nodes, and looks for the count at several ranks, by HTTP.",
    "Ends with 0 if enough ranks find the count, else with 1."})
final class WorldCheckCommand implements Callable<Integer> {

    private static final int NOT_WORKING = 1;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "URL", arity = "1..*", description = "The address of a service, such as "
            + "http://shop:8080, or one address for each node.")
    private List<URI> addresses = List.of();

    @Option(names = "--ranks", paramLabel = "NUMBER", description = "How many different ranks must find the count. "
            + "Defaults to ${DEFAULT-VALUE}.")
    private int ranks = 2;

    @Option(names = "--timeout", paramLabel = "DURATION", defaultValue = "30s", description = "How long the command "
            + "asks, such as 5m. Defaults to ${DEFAULT-VALUE}.")
    private Duration timeout = Duration.ZERO;

    @Override
    public Integer call() throws InterruptedException {
        addresses.forEach(this::checkAddress);
        if (ranks < 1) {
            throw new ParameterException(spec.commandLine(), "--ranks must be 1 or more: ranks=" + ranks);
        }
        PrintWriter output = spec.commandLine().getOut();
        Optional<String> problem = new WorldCheck(addresses, ranks, timeout, output).findProblem();
        output.println("verdict: " + problem.orElse("the world works: ranks=" + ranks));
        output.flush();
        return problem.isEmpty() ? 0 : NOT_WORKING;
    }

    private void checkAddress(URI address) {
        boolean usable = List.of("http", "https").contains(String.valueOf(address.getScheme()))
                && address.getHost() != null;
        if (!usable) {
            throw new ParameterException(spec.commandLine(),
                    "a URL begins with http:// or https:// and a host: url=" + address);
        }
    }
}
