package io.atoll.failure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Errors that strike an operation after it has taken effect. Its caller gets the result: told of the error, the caller
 * would take the operation for one that did nothing, and do it again.
 */
public final class Aftermath {

    private static final Logger LOG = LoggerFactory.getLogger(Aftermath.class);

    private Aftermath() {}

    /** Initializes the class, before it is needed: then there may be no room for that. */
    public static void prepare() {
        // Has been done.
    }

    /** @param consequence what becomes of that which the error has kept from being done */
    public static void warn(String consequence, Throwable error) {
        try {
            // One line each: where memory is missing many operations are struck, and a stack says little then.
            LOG.warn("an error struck an operation that had taken effect: {} [{}]", consequence, error.toString());
            LOG.debug("where the error struck", error);
        } catch (VirtualMachineError | LinkageError noMemoryForTheLog) {
            // The next one tells.
        }
    }
}
