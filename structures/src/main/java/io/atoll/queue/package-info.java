/**
 * Queues in rings, used one-sidedly (BCL, section 5.2).
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@link io.atoll.queue.CircularQueue} and {@link io.atoll.queue.LongCircularQueue}: what applications use.
 * <li>The words in the segments: {@code QueueBlock}, {@code RingBlock}, {@code RingReference}, {@code Slot}.
 * <li>{@code Ring}: a push draws tickets, and a pop takes the next one. {@code DeadTicketSkipper} skips tickets of dead
 * ranks. {@code PushAnnouncements} tell which pushes are under way.
 * <li>{@code RingChain}: how a queue moves to another ring while it is used; {@code RingChainQueue} joins both.
 * <li>{@code PushOperation} and {@code PopOperation}: asynchronous operations, which a {@code Guess} lets overlap.
 * <li>{@link io.atoll.queue.FastQueue}, {@code FastRing}: for phases that barriers separate.
 * </ol>
 */
@NullMarked
package io.atoll.queue;

import org.jspecify.annotations.NullMarked;
