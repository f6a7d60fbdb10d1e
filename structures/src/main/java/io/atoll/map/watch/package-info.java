/** What users of a map promise, watched over. */
@NullMarked
package io.atoll.map.watch;

import org.jspecify.annotations.NullMarked;
