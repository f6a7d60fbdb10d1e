package io.atoll.fabric.sim;

/**
 * The behaviour of a structure whose operations come one after the other. States are immutable and compared by
 * {@code equals}.
 *
 * @param <S> state
 * @param <O> operation with its arguments
 * @param <R> result
 */
public interface SequentialSpecification<S, O, R> {

    /** The state after an operation, and what the operation returned. */
    record Outcome<S, R>(S state, R result) {}

    S initial();

    Outcome<S, R> apply(S state, O operation);
}
