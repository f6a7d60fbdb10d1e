/** Tests of the executable jar, which run once it is there. */
@NullMarked
package io.atoll.app.jar;

import org.jspecify.annotations.NullMarked;
