/** Nodes of linked structures: a link and a value, at one rank. */
@NullMarked
package io.atoll.node;

import org.jspecify.annotations.NullMarked;
