/** The table of a map from long to long: buckets of two words, and increments that are exact. */
@NullMarked
package io.atoll.map.longs;

import org.jspecify.annotations.NullMarked;
