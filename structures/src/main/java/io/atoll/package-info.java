/** What an application begins with: a world of ranks, and the structures that live in it. */
@NullMarked
package io.atoll;

import org.jspecify.annotations.NullMarked;
