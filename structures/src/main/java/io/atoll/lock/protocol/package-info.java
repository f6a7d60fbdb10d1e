/** How ranks agree on who holds a lock: the queues, what they are made of, and what becomes of them when a rank dies. */
@NullMarked
package io.atoll.lock.protocol;

import org.jspecify.annotations.NullMarked;
