package io.atoll.chaos;

/**
 * Something that befalls a rank.
 *
 * @param atMillis after the world's begin
 * @param rank whose process it is
 * @param millis how long it lasts: until the process goes on, or is started again
 * @param waits whether it waits until all ranks are there, so that it befalls a world that works
 */
record Fault(long atMillis, Kind kind, int rank, long millis, boolean waits) {

    /** What happens. */
    enum Kind {
        /** SIGKILL, and a new process for the rank. */
        KILL,
        /** SIGKILL; nobody takes its place before the world ends. */
        KILL_FOR_GOOD,
        /** SIGSTOP and SIGCONT. */
        PAUSE,
        /** Its membership withdraws it: no operation has an effect any more. Then it leaves, and joins again. */
        FENCE,
        /** Leaves in order, in the middle of everything, and joins again. */
        LEAVE,
        /** Leaves in order, and nobody takes its place. */
        LEAVE_FOR_GOOD;

        boolean kills() {
            return this == KILL || this == KILL_FOR_GOOD;
        }

        boolean leaves() {
            return this == LEAVE || this == LEAVE_FOR_GOOD;
        }

        boolean isForGood() {
            return this == KILL_FOR_GOOD || this == LEAVE_FOR_GOOD;
        }
    }

    @Override
    public String toString() {
        return "%.1fs %s rank %d%s%s".formatted(atMillis / 1000.0, kind, rank,
                kind.isForGood() ? "" : " for " + millis + " ms", waits ? "" : " at once");
    }
}
