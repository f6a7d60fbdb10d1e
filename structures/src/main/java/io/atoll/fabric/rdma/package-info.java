/**
 * The fabric over RDMA: reads, writes and atomics that the owner's network card executes, on reliable connections.
 *
 * <p>Read first {@code RdmaFabric} and {@code RdmaBatch} (verbs become work requests). {@code QueuePairLane} and {@code
 * QueuePairWire} have the requests under way to one rank. {@code RdmaHandshake} with {@code Challenges} decides which
 * rank is let into a segment. {@code Device}, {@code RdmaReport} and {@code Rdma.ReadGuarantees} say what the device
 * guarantees. {@code RegisteredMemory} is the memory that verbs use.
 */
@NullMarked
package io.atoll.fabric.rdma;

import org.jspecify.annotations.NullMarked;
