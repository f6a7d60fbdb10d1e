/** Tests of the executable jar. They run once the jar is built. */
@NullMarked
package io.atoll.app.jar;

import org.jspecify.annotations.NullMarked;
