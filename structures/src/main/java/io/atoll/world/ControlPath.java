package io.atoll.world;

import java.util.function.Supplier;

/**
 * Is handed what a process does rarely and what may take long, and runs it: so that whoever observes a process can time and trace it. Never an operation of a
 * structure. Called by any thread.
 */
public interface ControlPath {

    /** What is run. */
    enum Step {
        /** Waiting for the ranks that have not joined yet; of the world of that name. */
        AWAIT_RANKS,
        /** Creating a structure, or attaching to it; of that name. */
        OPEN_STRUCTURE,
        /** Repairing what a dead rank was in the middle of; the operation, in words. */
        REPAIR
    }

    /** Runs it, and nothing else. */
    ControlPath UNOBSERVED = new ControlPath() {

        @Override
        public <T> T run(Step step, String subject, Supplier<T> work) {
            return work.get();
        }
    };

    /** Runs the work once, and returns or throws what it does. */
    <T> T run(Step step, String subject, Supplier<T> work);

    /** This one, and the other within. */
    default ControlPath around(ControlPath other) {
        ControlPath outer = this;
        return new ControlPath() {

            @Override
            public <T> T run(Step step, String subject, Supplier<T> work) {
                return outer.run(step, subject, () -> other.run(step, subject, work));
            }
        };
    }
}
