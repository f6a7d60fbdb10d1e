/** Auto-configuration of a world's meters. */
@NullMarked
package io.atoll.spring.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
