/**
 * Arrays in the segment of one rank, or of all, read and written one-sidedly, and pointers to elements anywhere in the
 * world (BCL, section 3).
 *
 * <p>Read {@link io.atoll.array.Array}, {@link io.atoll.array.DistributedArray} and {@link io.atoll.array.LongArray},
 * then {@code ElementBlock} and {@link io.atoll.array.Pointer}.
 */
@NullMarked
package io.atoll.array;

import org.jspecify.annotations.NullMarked;
