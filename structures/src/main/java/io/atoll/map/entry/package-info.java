/** Keys and values as a map's users know them: how they are stored in a table, and what operations make of one. */
@NullMarked
package io.atoll.map.entry;

import org.jspecify.annotations.NullMarked;
