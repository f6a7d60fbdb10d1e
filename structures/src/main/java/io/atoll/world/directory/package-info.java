/** The named structures of a world: created or found from any rank, whoever dies on the way. */
@NullMarked
package io.atoll.world.directory;

import org.jspecify.annotations.NullMarked;
