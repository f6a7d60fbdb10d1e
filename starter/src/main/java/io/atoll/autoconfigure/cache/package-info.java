/** Caches that properties name. */
@NullMarked
package io.atoll.autoconfigure.cache;

import org.jspecify.annotations.NullMarked;
