/** Figures of benchmarks as SVG files. */
@NullMarked
package io.atoll.app.plot;

import org.jspecify.annotations.NullMarked;
