/** Locks whose requests wait in queues: the queues of the cohorts, who is next, and what becomes of a queue when a rank dies. */
@NullMarked
package io.atoll.lock.queue;

import org.jspecify.annotations.NullMarked;
