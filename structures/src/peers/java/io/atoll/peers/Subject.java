package io.atoll.peers;

/** One of those that are compared. */
interface Subject {

    /** Returns how it does the work. */
    Rounds.Operation operation(Work work);

    static void require(boolean hasDone) {
        if (!hasDone) {
            throw new IllegalStateException("an operation has not done what is measured");
        }
    }
}
