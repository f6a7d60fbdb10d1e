package io.atoll.failure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Errors that strike an operation after it has taken effect. The caller gets the result. If it got the error, it would
 * take the operation for one that did nothing, and repeat it.
 */
public final class Aftermath {

    private static final Logger LOG = LoggerFactory.getLogger(Aftermath.class);

    private Aftermath() {}

    /** Initializes the class before it is needed: later there may be no room for that. */
    public static void prepare() {
        // The call itself has initialized the class.
    }

    /** @param consequence what becomes of the steps that the error has prevented */
    public static void warn(String consequence, Throwable error) {
        try {
            // One line each: if memory is missing, many operations are struck, and a stack trace says little then.
            LOG.warn("an error struck an operation that had taken effect: {} [{}]", consequence, error.toString());
            LOG.debug("where the error struck", error);
        } catch (VirtualMachineError | LinkageError noMemoryForTheLog) {
            // The next warning tells.
        }
    }
}
