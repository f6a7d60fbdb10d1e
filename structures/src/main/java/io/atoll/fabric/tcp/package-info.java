/**
 * The fabric between hosts that have TCP. The owner of a segment executes the verbs of others by threads of its own,
 * with the atomics of its CPU.
 */
@NullMarked
package io.atoll.fabric.tcp;

import org.jspecify.annotations.NullMarked;
