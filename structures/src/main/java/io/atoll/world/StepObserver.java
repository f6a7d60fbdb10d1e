package io.atoll.world;

import java.util.function.Supplier;

/**
 * Runs rare work of a process that may take long, so that an observer can time and trace it. Operations of structures
 * are never among it. Any thread may call it.
 */
public interface StepObserver {

    /** What is run. */
    enum Step {
        /** Waiting for the ranks that have not joined yet. The subject is the name of the world. */
        AWAIT_RANKS,
        /** Creating a structure, or attaching to it. The subject is the name of the structure. */
        OPEN_STRUCTURE,
        /** Repairing what a dead rank was in the middle of. The subject is the operation, in words. */
        REPAIR
    }

    /** Runs the work, and nothing else. */
    StepObserver UNOBSERVED = new StepObserver() {

        @Override
        public <T> T run(Step step, String subject, Supplier<T> work) {
            return work.get();
        }
    };

    /** Runs the work once, and returns or throws what the work does. */
    <T> T run(Step step, String subject, Supplier<T> work);

    /** Returns an observer that runs the other one within this one. */
    default StepObserver around(StepObserver other) {
        StepObserver outer = this;
        return new StepObserver() {

            @Override
            public <T> T run(Step step, String subject, Supplier<T> work) {
                return outer.run(step, subject, () -> other.run(step, subject, work));
            }
        };
    }
}
