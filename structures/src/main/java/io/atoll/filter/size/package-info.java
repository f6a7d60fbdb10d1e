/** How large a filter must be for a rate of false positives, and what rate it has. */
@NullMarked
package io.atoll.filter.size;

import org.jspecify.annotations.NullMarked;
