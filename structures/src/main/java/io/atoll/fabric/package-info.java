/**
 * The verbs between ranks: what a fabric must offer, what it guarantees, and the one short cut to a rank's own memory.
 */
@NullMarked
package io.atoll.fabric;

import org.jspecify.annotations.NullMarked;
