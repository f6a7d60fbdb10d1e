/** The runnable node and its jobs. */
@NullMarked
package io.atoll.app;

import org.jspecify.annotations.NullMarked;
