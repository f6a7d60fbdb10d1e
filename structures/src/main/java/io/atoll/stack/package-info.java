/** Stacks that all ranks share. */
@NullMarked
package io.atoll.stack;

import org.jspecify.annotations.NullMarked;
