package io.atoll.app.job;

/** A job cannot go on, for a reason its user can understand and act on: the message is one line. */
public class JobException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public JobException(String message) {
        super(message);
    }

    public JobException(String message, Throwable cause) {
        super(message, cause);
    }
}
