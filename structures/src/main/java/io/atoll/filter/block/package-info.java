/** The words of a filter in the segments: those of an element, of many at once, and all of them. */
@NullMarked
package io.atoll.filter.block;

import org.jspecify.annotations.NullMarked;
