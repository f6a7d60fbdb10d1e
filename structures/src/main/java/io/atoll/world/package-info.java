/** Who takes part in a world, what they can rely on of each other, and the directory of named structures. */
@NullMarked
package io.atoll.world;

import org.jspecify.annotations.NullMarked;
