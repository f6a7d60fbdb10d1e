/** Processes that obey a test, and can be paused and killed. */
@NullMarked
package io.atoll.process;

import org.jspecify.annotations.NullMarked;
