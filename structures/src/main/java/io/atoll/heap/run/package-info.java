/** Runs of slabs: reserved, committed, freed, and made of others when none fits. */
@NullMarked
package io.atoll.heap.run;

import org.jspecify.annotations.NullMarked;
