/** Which collectives a process has begun, and what became of them. */
@NullMarked
package io.atoll.collective.log;

import org.jspecify.annotations.NullMarked;
