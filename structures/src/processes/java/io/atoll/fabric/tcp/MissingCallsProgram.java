package io.atoll.fabric.tcp;

import io.atoll.process.Program;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Two ranks in a process that has tried to find the functions of the C library while its stack was full. */
final class MissingCallsProgram implements Program {

    private static final String FUNCTIONS = SocketCalls.class.getName() + "$Functions";
    private static final long WORD = TcpRanks.FREE;

    private @Nullable TcpRanks ranks;
    private boolean hasTried;

    @Override
    public String obey(String command, List<String> arguments) {
        return switch (command) {
            case "open" -> open(Path.of(arguments.getFirst()));
            case "overflow" -> {
                overflow();
                yield isMissing() ? "missing" : "found";
            }
            case "add" -> "" + add(3) + " " + add(4);
            default -> throw new IllegalArgumentException("no such command: command=" + command);
        };
    }

    /** Makes no connection yet, so nothing has looked for the functions. */
    private String open(Path folder) {
        ranks = new TcpRanks(folder);
        return "opened";
    }

    /** Looks for the functions as deep in the stack as the look can begin. */
    private void overflow() {
        try {
            overflow();
        } catch (StackOverflowError full) {
            // The caller has a little more room.
        }
        if (!hasTried) {
            hasTried = isMissing();
        }
    }

    private static boolean isMissing() {
        try {
            Class.forName(FUNCTIONS, true, MissingCallsProgram.class.getClassLoader());
            return false;
        } catch (NoClassDefFoundError missing) {
            return true;
        } catch (ClassNotFoundException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Adds to a word of another rank. Returns what was there. */
    private long add(long delta) {
        return Objects.requireNonNull(ranks).fabric(0).getAndAdd(1, WORD, delta);
    }

    @Override
    public void close() {
        if (ranks != null) {
            ranks.close();
        }
    }
}
