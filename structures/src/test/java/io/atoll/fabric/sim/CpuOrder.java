package io.atoll.fabric.sim;

/**
 * In which order the loads and stores of a rank's CPU take effect, where the program does not ask for one. What the weaker kinds do, some
 * processor or compiler does: a release store is overtaken by later loads of its thread, a plain load takes effect before
 * earlier plain loads.
 */
public enum CpuOrder {

    /** In that of the program. */
    PROGRAM,

    /**
     * Weak while a rank has one thread. Order among several that comes from Java's own locks and volatile fields is not seen by the simulation, which
     * would reorder where no processor may.
     */
    WEAK_WHERE_ALONE,

    /** Always weak: for protocols among threads of one rank that use nothing but the rank's words. */
    WEAK
}
