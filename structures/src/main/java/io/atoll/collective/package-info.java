/**
 * Operations of a team's members together: broadcasts that only the root calls, and exchanges that all members call
 * (Paznikov).
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@link io.atoll.collective.Collectives}, {@code Team} and {@code BinomialTree}: the members, and the tree along
 * which data goes from one to all.
 * <li>{@link io.atoll.collective.Broadcast}: the root writes, members pass on ({@code BroadcastBlock} is the picture,
 * {@code Window}, {@code OngoingBroadcast}, {@code Broadcaster}).
 * <li>{@code Exchange}: barriers, reductions, gathering and scattering ({@code StagingBuffers}, {@code PackedValues}).
 * <li>{@link io.atoll.collective.LogGP} and {@code BroadcastSimulation}: how long a broadcast should take; {@code
 * CostMeasurement} finds the model's parameters by sending.
 * <li>{@code CollectiveLog}: which collectives a process has begun, and what became of them.
 * </ol>
 */
@NullMarked
package io.atoll.collective;

import org.jspecify.annotations.NullMarked;
