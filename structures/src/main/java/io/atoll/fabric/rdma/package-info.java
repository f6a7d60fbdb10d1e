/**
 * The fabric over RDMA: reads, writes and atomics that the owner's network card executes, on reliable connections.
 *
 * <p>Read in this order: {@code VerbsFabric} and {@code VerbsBatch} (verbs become work requests), {@code QueuePairLane}
 * and {@code QueuePairWire} (requests under way to one rank), {@code VerbsGreeting} with {@code Challenges} (which rank
 * is let into a segment), {@code Device} with {@code Survey} and {@code Ordering} (what the device guarantees),
 * {@code RegisteredMemory}.
 */
@NullMarked
package io.atoll.fabric.rdma;

import org.jspecify.annotations.NullMarked;
