/** Arrays in the segment of one rank, or of all, read and written one-sidedly. */
@NullMarked
package io.atoll.array;

import org.jspecify.annotations.NullMarked;
