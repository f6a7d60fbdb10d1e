/** Which blocks a map has at each rank: one for good, or one that is replaced by a larger one while the map is used, a few buckets with each operation. */
@NullMarked
package io.atoll.map.growth;

import org.jspecify.annotations.NullMarked;
