/** Counting the verbs of a process, all of them, at a cost that an operation does not notice. */
@NullMarked
package io.atoll.fabric.metering;

import org.jspecify.annotations.NullMarked;
