/** Small objects that share slabs: claimed in groups, handed out from stock, freed together. */
@NullMarked
package io.atoll.heap.object;

import org.jspecify.annotations.NullMarked;
