/** Keys and values of any size, beside the buckets that refer to them, and how they are freed. */
@NullMarked
package io.atoll.map.payload;

import org.jspecify.annotations.NullMarked;
