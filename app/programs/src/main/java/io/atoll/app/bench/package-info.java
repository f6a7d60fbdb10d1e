/** Measurements of the structures on this machine. */
@NullMarked
package io.atoll.app.bench;

import org.jspecify.annotations.NullMarked;
