/** Segments, the words in them, and pointers to words anywhere in the world. */
@NullMarked
package io.atoll.memory;

import org.jspecify.annotations.NullMarked;
