/**
 * The fabric over RDMA: reads, writes and atomics that the owner's network card executes, on reliable connections.
 *
 * <p>Read in this order: {@code RdmaFabric} and {@code RdmaBatch} (verbs become work requests), {@code QueuePairLane}
 * and {@code QueuePairWire} (requests under way to one rank), {@code RdmaHandshake} with {@code Challenges} (which rank
 * is let into a segment), {@code Device} with {@code RdmaReport} and {@code Rdma.ReadGuarantees} (what the
 * device guarantees), {@code RegisteredMemory}.
 */
@NullMarked
package io.atoll.fabric.rdma;

import org.jspecify.annotations.NullMarked;
