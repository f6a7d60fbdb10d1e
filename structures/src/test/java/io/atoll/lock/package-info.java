/** What every lock has to stand in simulated worlds. */
@NullMarked
package io.atoll.lock;

import org.jspecify.annotations.NullMarked;
