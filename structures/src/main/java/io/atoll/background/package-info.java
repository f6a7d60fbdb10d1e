/** Threads that work for a process in the background. */
@NullMarked
package io.atoll.background;

import org.jspecify.annotations.NullMarked;
