/** Caches that properties name. */
@NullMarked
package io.atoll.spring.autoconfigure.cache;

import org.jspecify.annotations.NullMarked;
