/** The entry of an application: a world of ranks, and the structures that live in it. */
@NullMarked
package io.atoll;

import org.jspecify.annotations.NullMarked;
