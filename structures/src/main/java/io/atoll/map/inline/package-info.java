/** Keys and values of fixed size, in the buckets themselves. */
@NullMarked
package io.atoll.map.inline;

import org.jspecify.annotations.NullMarked;
