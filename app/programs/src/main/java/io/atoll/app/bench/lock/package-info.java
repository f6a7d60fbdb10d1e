/** Locks in contention. */
@NullMarked
package io.atoll.app.bench.lock;

import org.jspecify.annotations.NullMarked;
