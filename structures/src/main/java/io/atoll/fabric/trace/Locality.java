package io.atoll.fabric.trace;

/** Tells whose segment a verb goes to. */
public enum Locality {
    /** This process's own segment, on fabrics where a network card executes verbs on it, too. */
    LOCAL,
    /** Another rank's segment; also that of a batch to several ranks. */
    REMOTE
}
