/** How values of differing size are stored. */
@NullMarked
package io.atoll.codec.variable;

import org.jspecify.annotations.NullMarked;
