/** One-sided broadcast: the root writes, members pass on, and nobody's program has to call anything. */
@NullMarked
package io.atoll.collective.broadcast;

import org.jspecify.annotations.NullMarked;
