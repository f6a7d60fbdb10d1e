/** How entries in buckets are changed by many at once: reserved, written, moved, and repaired when somebody dies in the middle. */
@NullMarked
package io.atoll.map.table;

import org.jspecify.annotations.NullMarked;
