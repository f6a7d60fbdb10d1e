/** Hash maps that are spread over the ranks and used one-sidedly. */
@NullMarked
package io.atoll.map;

import org.jspecify.annotations.NullMarked;
