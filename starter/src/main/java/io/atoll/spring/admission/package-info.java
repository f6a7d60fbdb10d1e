/** Which requests over HTTP learn something of a world. */
@NullMarked
package io.atoll.spring.admission;

import org.jspecify.annotations.NullMarked;
