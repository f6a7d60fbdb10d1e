/** Shows a world in Micrometer's meters. */
@NullMarked
package io.atoll.spring.meters;

import org.jspecify.annotations.NullMarked;
