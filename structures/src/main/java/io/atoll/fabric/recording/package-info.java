/** Listening to the verbs of a fabric: what an operation costs, and that it keeps costing it. */
@NullMarked
package io.atoll.fabric.recording;

import org.jspecify.annotations.NullMarked;
