/** Decides which HTTP requests may learn something of a world. */
@NullMarked
package io.atoll.spring.admission;

import org.jspecify.annotations.NullMarked;
