package io.atoll.app.command;

/** Thrown if a command cannot go on for a reason that its user can understand and act on. The message is one line. */
public class CommandException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public CommandException(String message) {
        super(message);
    }

    public CommandException(String message, Throwable cause) {
        super(message, cause);
    }

    /** @throws CommandException with this message if what the command line says does not hold */
    public static void require(boolean holds, String message) {
        if (!holds) {
            throw new CommandException(message);
        }
    }
}
