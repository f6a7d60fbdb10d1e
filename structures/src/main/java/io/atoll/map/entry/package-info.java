/** What operations do with keys and values, however these are stored: with one, with some, with all of them. */
@NullMarked
package io.atoll.map.entry;

import org.jspecify.annotations.NullMarked;
