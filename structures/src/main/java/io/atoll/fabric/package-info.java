/**
 * The verbs between ranks: what a fabric must offer, what it guarantees, and the one short cut to a rank's own memory.
 *
 * <p>Read first {@link io.atoll.fabric.Fabric} and {@link io.atoll.fabric.Guarantees}, then
 * {@link io.atoll.fabric.Batch}. Structures call {@link io.atoll.fabric.Endpoint}. {@link
 * io.atoll.fabric.ImmediateBatch} is the simplest batch. {@link io.atoll.fabric.GuardedBatch} has what all batches
 * share. A process takes its place on a fabric by {@link io.atoll.fabric.FabricType} and {@link
 * io.atoll.fabric.Attachment}.
 */
@NullMarked
package io.atoll.fabric;

import org.jspecify.annotations.NullMarked;
