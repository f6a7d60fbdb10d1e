/** Connections between ranks: who is let into a segment, and the work requests that are under way to one. */
@NullMarked
package io.atoll.fabric.verbs.link;

import org.jspecify.annotations.NullMarked;
