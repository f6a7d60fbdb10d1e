/** Nodes of linked structures: a link and a value, at one rank. */
@NullMarked
package io.atoll.linked;

import org.jspecify.annotations.NullMarked;
