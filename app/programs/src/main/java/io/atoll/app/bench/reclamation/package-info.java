/** Atomic objects, epochs and limbo lists. */
@NullMarked
package io.atoll.app.bench.reclamation;

import org.jspecify.annotations.NullMarked;
