/**
 * Structures of linked nodes that all ranks share: Treiber's stack, and the queue of Michael and Scott (Dewan and
 * Jenkins).
 *
 * <p>Read {@link io.atoll.linked.LinkedStack} with {@code TreiberStack}, then {@link io.atoll.linked.LinkedQueue} with
 * {@code MichaelScottQueue}. {@code Nodes} are what both are made of: a link and a value, at one rank.
 */
@NullMarked
package io.atoll.linked;

import org.jspecify.annotations.NullMarked;
