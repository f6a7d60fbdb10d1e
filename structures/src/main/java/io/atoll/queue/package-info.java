/** Queues that are used one-sidedly. */
@NullMarked
package io.atoll.queue;

import org.jspecify.annotations.NullMarked;
