/** Broadcasts, measured and predicted. */
@NullMarked
package io.atoll.app.bench.broadcast;

import org.jspecify.annotations.NullMarked;
