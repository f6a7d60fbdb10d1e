/** Spring's caches in maps of the world. */
@NullMarked
package io.atoll.spring.cache;

import org.jspecify.annotations.NullMarked;
