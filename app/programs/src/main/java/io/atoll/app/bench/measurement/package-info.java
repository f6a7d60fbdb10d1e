/** Rounds of measurement, their options on the command line, and their reports. */
@NullMarked
package io.atoll.app.bench.measurement;

import org.jspecify.annotations.NullMarked;
