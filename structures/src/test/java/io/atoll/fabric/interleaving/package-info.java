/**
 * Explores the order in which threads of one process do what others see: the real code, one thread at a time, switched
 * at each access that others see.
 */
@NullMarked
package io.atoll.fabric.interleaving;

import org.jspecify.annotations.NullMarked;
