/** How a rank waits for what another is in the middle of, who sees that it waits, and when it may repair instead. */
@NullMarked
package io.atoll.world.waiting;

import org.jspecify.annotations.NullMarked;
