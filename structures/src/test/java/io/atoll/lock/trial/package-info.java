/** What every lock has to stand in simulated worlds. */
@NullMarked
package io.atoll.lock.trial;

import org.jspecify.annotations.NullMarked;
