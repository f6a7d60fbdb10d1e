/** The allocator of the world's segments, which works by verbs alone: runs of slabs, and small objects within slabs. */
@NullMarked
package io.atoll.heap;

import org.jspecify.annotations.NullMarked;
