/** Finds what is wrong with a world, why, and what helps, from what one rank sees of it. */
@NullMarked
package io.atoll.spring.state.overview;

import org.jspecify.annotations.NullMarked;
