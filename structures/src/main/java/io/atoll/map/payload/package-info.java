/** Keys and values of any size, where they lie beside the buckets, and how they are freed. */
@NullMarked
package io.atoll.map.payload;

import org.jspecify.annotations.NullMarked;
