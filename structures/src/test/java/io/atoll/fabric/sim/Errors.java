package io.atoll.fabric.sim;

import java.util.function.Supplier;

/**
 * Errors that strike a thread while it is exposed to them. An error strikes instead of an access to memory, which is
 * not made then. Or it strikes after a verb, whose answer is lost then. Accesses by the CPU, and verbs of a fabric that
 * executes at once, are struck before only: either they have not been made, or their caller knows their result.
 */
final class Errors {

    private final Fate fate;
    private boolean isExposed;
    private int left; // accesses until the one that is struck
    private boolean strikesAfter;

    Errors(Fate fate) {
        this.fate = fate;
    }

    /** Runs the action while errors may strike, as the seed decides. */
    <R> R expose(Supplier<R> action) {
        isExposed = true;
        try {
            return action.get();
        } finally {
            isExposed = false;
        }
    }

    /** Returns true if the action came to the access of that number, counted from 1. */
    boolean strikeAt(int access, boolean isAfter, Runnable action) {
        left = access;
        strikesAfter = isAfter;
        try {
            action.run();
            return left == 0;
        } catch (SimulatedError struck) {
            return true;
        } finally {
            left = 0;
        }
    }

    void before(Object access) {
        if (isExposed && fate.strikes() || isTurn(false)) {
            throw new SimulatedError("before " + access);
        }
    }

    void after(Object access) {
        if (isExposed && fate.strikes() || isTurn(true)) {
            throw new SimulatedError("after " + access);
        }
    }

    private boolean isTurn(boolean isAfter) {
        return strikesAfter == isAfter && left > 0 && --left == 0;
    }
}
