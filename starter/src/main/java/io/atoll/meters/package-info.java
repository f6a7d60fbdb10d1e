/** A world in Micrometer's meters. */
@NullMarked
package io.atoll.meters;

import org.jspecify.annotations.NullMarked;
