/** Where a map's buckets lie: one block at each rank, which may be replaced by a larger one while the map is used. */
@NullMarked
package io.atoll.map.block;

import org.jspecify.annotations.NullMarked;
