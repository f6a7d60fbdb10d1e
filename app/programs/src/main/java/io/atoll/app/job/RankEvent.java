package io.atoll.app.job;

import io.atoll.app.command.ExitCode;
import java.util.Optional;

/**
 * An event of a rank of a job. The rank tells its parent each event but its end, as one line on its standard output:
 * <pre>
 *   @atoll ready
 *   @atoll progress DONE TOTAL
 *   @atoll output TEXT
 *   @atoll done
 *   @atoll failure BLAMED TEXT
 * </pre>
 */
sealed interface RankEvent {

    String PREFIX = "@atoll ";

    /** The rank takes part. Every rank has joined. */
    record Ready() implements RankEvent {}

    /** How much of its work the rank has done, in a unit of its own. */
    record Progress(long done, long total) implements RankEvent {}

    /** A line of the job's result. */
    record Output(String line) implements RankEvent {}

    /** The rank has done its part, and waits to be ended. It stays in the world while other ranks are still at work. */
    record Done() implements RankEvent {}

    /**
     * The rank cannot go on, and ends.
     *
     * @param blamed the rank for which it waited in vain, or {@link #NOBODY}
     */
    record Failure(int blamed, String reason) implements RankEvent {

        static final int NOBODY = -1;
    }

    /**
     * The rank's process is gone.
     *
     * @param lastWords the last line of its standard error, or an empty text
     */
    record End(int exitCode, String lastWords) implements RankEvent {

        /** Says how the process ended, in words that follow its name. */
        String description() {
            ExitCode code = new ExitCode(exitCode);
            return code.isSignal() || lastWords.isEmpty() ? code.toString() : code + ": " + lastWords;
        }
    }

    /** Returns the line that tells the parent. It is one line, whatever the text contains. */
    default String toLine() {
        String line = switch (this) {
            case Ready() -> "ready";
            case Progress(long done, long total) -> "progress " + done + " " + total;
            case Output(String text) -> "output " + text;
            case Done() -> "done";
            case Failure(int blamed, String reason) -> "failure " + blamed + " " + reason;
            case End end -> throw new IllegalArgumentException("the parent sees the end itself: event=" + end);
        };
        return PREFIX + line.replaceAll("\\R", " ");
    }

    /** Returns nothing if a library or the JVM has printed the line. */
    static Optional<RankEvent> fromLine(String line) {
        if (!line.startsWith(PREFIX)) {
            return Optional.empty();
        }
        String[] words = line.substring(PREFIX.length()).split(" ", 2);
        String rest = words.length == 1 ? "" : words[1];
        return Optional.ofNullable(switch (words[0]) {
            case "ready" -> new Ready();
            case "progress" -> progress(rest);
            case "output" -> new Output(rest);
            case "done" -> new Done();
            case "failure" -> failure(rest);
            default -> null;
        });
    }

    private static Progress progress(String rest) {
        String[] numbers = rest.split(" ");
        return new Progress(Long.parseLong(numbers[0]), Long.parseLong(numbers[1]));
    }

    private static Failure failure(String rest) {
        int space = rest.indexOf(' ');
        return new Failure(Integer.parseInt(rest.substring(0, space)), rest.substring(space + 1));
    }
}
