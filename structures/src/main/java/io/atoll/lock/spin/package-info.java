/** Locks for which everybody tries again and again. */
@NullMarked
package io.atoll.lock.spin;

import org.jspecify.annotations.NullMarked;
