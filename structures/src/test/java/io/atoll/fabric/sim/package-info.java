/**
 * A world of ranks in one thread's time: one step after the other, the next drawn from a seed, so that what happened
 * once happens again. Start at {@link io.atoll.fabric.sim.Simulation}.
 */
@NullMarked
package io.atoll.fabric.sim;

import org.jspecify.annotations.NullMarked;
