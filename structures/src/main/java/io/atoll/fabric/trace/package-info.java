/** A network that is simulated: verbs that take as long as on one that is slower than this machine's memory. */
@NullMarked
package io.atoll.fabric.trace;

import org.jspecify.annotations.NullMarked;
