/** How ranks measure in rounds, what that is told on the command line, and how it is reported. */
@NullMarked
package io.atoll.app.bench.measurement;

import org.jspecify.annotations.NullMarked;
