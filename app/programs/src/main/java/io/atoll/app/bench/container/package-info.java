/** Queues, filters and arrays, each row beside its raw loop. */
@NullMarked
package io.atoll.app.bench.container;

import org.jspecify.annotations.NullMarked;
