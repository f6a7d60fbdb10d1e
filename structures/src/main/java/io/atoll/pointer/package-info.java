/** Pointers to elements anywhere in the world. */
@NullMarked
package io.atoll.pointer;

import org.jspecify.annotations.NullMarked;
