/** Auto-configuration of the caches that properties name. */
@NullMarked
package io.atoll.spring.autoconfigure.cache;

import org.jspecify.annotations.NullMarked;
