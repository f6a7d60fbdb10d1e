package io.atoll.app.sequence;

import io.atoll.app.command.CommandException;
import java.io.IOException;

/** Thrown if a file cannot be read as sequences. The message is one line: the file and the reason. */
public final class InputException extends CommandException {

    private static final long serialVersionUID = 1L;

    InputException(String file, String reason) {
        super(file + ": " + reason);
    }

    InputException(String file, String reason, IOException cause) {
        super(file + ": " + reason, cause);
    }
}
