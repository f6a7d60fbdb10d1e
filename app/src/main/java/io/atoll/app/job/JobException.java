package io.atoll.app.job;

/** Thrown if a job cannot go on for a reason that its user can understand and act on. The message is one line. */
public class JobException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public JobException(String message) {
        super(message);
    }

    public JobException(String message, Throwable cause) {
        super(message, cause);
    }
}
