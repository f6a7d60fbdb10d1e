package io.atoll.fabric.metering;

/** Whose segment a verb goes to. */
public enum Locality {
    /** This process's own. */
    LOCAL,
    /** Another rank's; a batch to several ranks, too. */
    REMOTE
}
