/**
 * Connections between ranks, on any transport. They decide which ranks are let into a
 * segment, which are shut out of it, and which connection replaces which.
 */
@NullMarked
package io.atoll.fabric.link;

import org.jspecify.annotations.NullMarked;
