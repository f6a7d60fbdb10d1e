package io.atoll.chaos.history;

/**
 * One operation of a thread of a process.
 *
 * @param process its number among all processes of the world
 * @param called {@link System#nanoTime}, which all processes share on Linux
 * @param returned {@link #NEVER} if it neither returned nor was refused
 */
public record Entry(int process, int thread, Structure structure, Verb verb, long key, long argument, long second,
        long called, long returned, Outcome outcome, long result, long extra) {

    public static final long NEVER = Long.MAX_VALUE;
    /** The result if there is no value. */
    public static final long ABSENT = Long.MIN_VALUE;

    public boolean isDone() {
        return outcome == Outcome.DONE;
    }

    /** Returns true if the operation may have had an effect, but did not say so. */
    public boolean isOpen() {
        return outcome == Outcome.PENDING || outcome == Outcome.UNKNOWN;
    }

    private static String shown(long value) {
        return value == ABSENT ? "none" : "" + value;
    }

    /** @param origin of the times, in nanoseconds */
    public String text(long origin) {
        return "%,14d..%-14s p%d.%-3d %s %s key=%d argument=%s second=%s -> %s".formatted((called - origin) / 1000,
                returned == NEVER ? "" : "%,d".formatted((returned - origin) / 1000), process, thread, structure, verb,
                key, shown(argument), shown(second), isDone()
                        ? shown(result) + (extra == 0 ? "" : " extra=" + extra)
                        : outcome);
    }
}
