package io.atoll.fabric.sim;

/** Memory that was missing at one moment, or room on the stack: what strikes a thread that is exposed to errors. */
public final class SimulatedError extends OutOfMemoryError {

    private static final long serialVersionUID = 1L;

    SimulatedError(String where) {
        super("simulated: " + where);
    }
}
