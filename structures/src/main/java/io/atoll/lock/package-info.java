/** Locks for all ranks, that do not hang when one dies. */
@NullMarked
package io.atoll.lock;

import org.jspecify.annotations.NullMarked;
