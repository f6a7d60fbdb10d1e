/** What Atoll's refusals mean for the properties of an application. */
@NullMarked
package io.atoll.spring.autoconfigure.diagnostics;

import org.jspecify.annotations.NullMarked;
