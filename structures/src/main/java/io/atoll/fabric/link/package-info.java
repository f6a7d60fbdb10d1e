/**
 * Links between ranks that reach each other by connections, whatever carries these: who is let into a segment, who is
 * shut out of it, and which connection replaces which.
 */
@NullMarked
package io.atoll.fabric.link;

import org.jspecify.annotations.NullMarked;
