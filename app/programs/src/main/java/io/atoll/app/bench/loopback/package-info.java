/** Measures what a verb of the own device costs where no network is in between. */
@NullMarked
package io.atoll.app.bench.loopback;

import org.jspecify.annotations.NullMarked;
