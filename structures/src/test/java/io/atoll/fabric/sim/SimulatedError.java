package io.atoll.fabric.sim;

/**
 * Memory, or room on the stack, that was missing at one moment: the error that strikes a thread which is exposed to
 * errors.
 */
public final class SimulatedError extends OutOfMemoryError {

    private static final long serialVersionUID = 1L;

    SimulatedError(String where) {
        super("simulated: " + where);
    }
}
