/** Bloom filters that are spread over the ranks and used one-sidedly. */
@NullMarked
package io.atoll.filter;

import org.jspecify.annotations.NullMarked;
