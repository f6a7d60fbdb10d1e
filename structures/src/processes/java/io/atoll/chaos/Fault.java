package io.atoll.chaos;

/**
 * A fault of a rank.
 *
 * @param atMillis after the world's begin
 * @param rank the rank whose process is affected
 * @param millis how long it lasts: until the process goes on, or is started again
 * @param waits true if it waits until all ranks are there, so that it affects a working world
 */
record Fault(long atMillis, Kind kind, int rank, long millis, boolean waits) {

    /** The kind of a fault. */
    enum Kind {
        /** SIGKILL, and a new process for the rank. */
        KILL,
        /** SIGKILL. No other process takes its place before the world ends. */
        KILL_FOR_GOOD,
        /** SIGSTOP and SIGCONT. */
        PAUSE,
        /**
         * The process's membership withdraws it, so its operations have no effect any more. Then it leaves, and joins
         * again.
         */
        FENCE,
        /** The rank leaves in order, in the middle of its operations, and joins again. */
        LEAVE,
        /** The rank leaves in order, and no other process takes its place. */
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
