/**
 * Arrays in the segments of one rank or all ranks, and pointers to elements anywhere (BCL, section 3). All are read and
 * written one-sidedly.
 *
 * <p>Read {@link io.atoll.array.Array}, {@link io.atoll.array.DistributedArray} and {@link io.atoll.array.LongArray},
 * then {@code ElementBlock} and {@link io.atoll.array.Pointer}.
 */
@NullMarked
package io.atoll.array;

import org.jspecify.annotations.NullMarked;
