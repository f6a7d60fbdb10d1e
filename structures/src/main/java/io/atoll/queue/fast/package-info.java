/** A queue of one host for phases that barriers separate: pushes in one, pops in another, many elements at once. */
@NullMarked
package io.atoll.queue.fast;

import org.jspecify.annotations.NullMarked;
