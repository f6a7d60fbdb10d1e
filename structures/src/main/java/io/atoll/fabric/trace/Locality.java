package io.atoll.fabric.trace;

/** Whose segment a verb goes to. */
public enum Locality {
    /** This process's own, which verbs reach where a network card executes them there, too. */
    LOCAL,
    /** Another rank's; a batch to several ranks, too. */
    REMOTE
}
