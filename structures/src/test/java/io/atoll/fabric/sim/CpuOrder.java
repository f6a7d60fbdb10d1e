package io.atoll.fabric.sim;

/**
 * The order in which the loads and stores of a rank's CPU take effect, where the program does not ask for one. Some
 * processor or compiler does what the weaker kinds do: later loads of a thread overtake its release store, and a plain
 * load takes effect before earlier plain loads.
 */
public enum CpuOrder {

    /** In the order of the program. */
    PROGRAM,

    /**
     * Weak while a rank has one thread. The simulation does not see the order among several threads that comes from
     * Java's own locks and volatile fields. It would reorder where no processor may.
     */
    WEAK_WHERE_ALONE,

    /** Always weak: for protocols among threads of one rank that use nothing but the rank's words. */
    WEAK
}
