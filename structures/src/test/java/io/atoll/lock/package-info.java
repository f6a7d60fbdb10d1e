/** Tests of the locks, most of them in simulated worlds. */
@NullMarked
package io.atoll.lock;

import org.jspecify.annotations.NullMarked;
