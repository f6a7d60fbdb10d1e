package io.atoll.app.node;

import io.atoll.app.command.CommandException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The options of the command line.
 *
 * @param ranks how many ranks to start on this machine; empty if not given, which starts this process only
 * @param settings all other options, for Spring Boot
 */
record NodeOptions(OptionalInt ranks, List<String> settings) {

    private static final String RANKS = "--ranks";
    private static final String PORT = "--server.port";
    private static final String DEMO = "--demo";
    private static final String DEMO_SETTING = "--node.demo=true";
    private static final int MOST_RANKS = 64;

    /** The options without a dot that Spring Boot knows. */
    private static final Set<String> OF_ONE_WORD = Set.of("--debug", "--trace");

    static NodeOptions of(List<String> arguments) {
        OptionalInt ranks = value(arguments, RANKS).map(NodeOptions::ranks).orElse(OptionalInt.empty());
        List<String> settings = arguments.stream()
                .filter(argument -> !isNamed(argument, RANKS))
                .map(argument -> argument.equals(DEMO) ? DEMO_SETTING : argument)
                .toList();
        settings.forEach(NodeOptions::refuseUnknown);
        for (String settled : List.of("--atoll.world.size", "--atoll.world.rank")) {
            if (ranks.isPresent() && value(settings, settled).isPresent()) {
                throw new CommandException(RANKS + " starts all ranks, so it sets this itself: " + settled);
            }
        }
        return new NodeOptions(ranks, settings);
    }

    /**
     * Returns the arguments for the process of a rank. Each rank has a port of its own, one higher than that of the
     * rank before.
     */
    List<String> ofRank(int rank) {
        if (ranks.isEmpty()) {
            return settings;
        }
        Stream<String> others = settings.stream().filter(setting -> !isNamed(setting, PORT));
        Stream<String> own = Stream.of("--atoll.world.size=" + ranks.getAsInt(), "--atoll.world.rank=" + rank);
        Stream<String> port = value(settings, PORT).map(first -> PORT + "=" + port(first, rank)).stream();
        return Stream.of(others, own, port).flatMap(stream -> stream).toList();
    }

    /**
     * Refuses an unknown property. It would have no effect, so a mistake would go unnoticed. Properties of Atoll are
     * checked when they are read.
     */
    private static void refuseUnknown(String setting) {
        String name = setting.split("=", 2)[0];
        if (!name.startsWith("--") || !name.contains(".") && !OF_ONE_WORD.contains(name)) {
            throw new CommandException(
                    "a node knows " + RANKS + ", " + DEMO
                            + " and Spring Boot's properties, such as --server.port=9000: "
                            + "option=" + setting);
        }
    }

    private static OptionalInt ranks(String text) {
        int ranks = number(RANKS, text);
        if (ranks < 1 || ranks > MOST_RANKS) {
            throw new CommandException(RANKS + " must be from 1 to " + MOST_RANKS + ": ranks=" + ranks);
        }
        return OptionalInt.of(ranks);
    }

    private static int port(String text, int rank) {
        int first = number(PORT, text);
        return first == NodePort.ANY ? first : first + rank;
    }

    private static int number(String option, String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException failure) {
            throw new CommandException(option + " is a number: " + option.substring(2) + "=" + text);
        }
    }

    private static boolean isNamed(String argument, String option) {
        return argument.equals(option) || argument.startsWith(option + "=");
    }

    private static Optional<String> value(List<String> arguments, String option) {
        return arguments.stream()
                .filter(argument -> isNamed(argument, option))
                .findFirst()
                .map(argument -> argument.substring(Math.min(option.length() + 1, argument.length())));
    }
}
