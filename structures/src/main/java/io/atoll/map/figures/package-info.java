/** How full a map is, for those who look on. */
@NullMarked
package io.atoll.map.figures;

import org.jspecify.annotations.NullMarked;
