/** Which requests over HTTP learn something of a world. */
@NullMarked
package io.atoll.admission;

import org.jspecify.annotations.NullMarked;
