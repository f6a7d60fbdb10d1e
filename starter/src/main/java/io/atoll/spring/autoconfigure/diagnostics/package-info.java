/** Explains Atoll's refusals by the properties of the application. */
@NullMarked
package io.atoll.spring.autoconfigure.diagnostics;

import org.jspecify.annotations.NullMarked;
