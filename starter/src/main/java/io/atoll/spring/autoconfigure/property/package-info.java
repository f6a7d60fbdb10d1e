/** Refuses properties under {@code atoll.} that nothing reads: a mistyped name would be a default that nobody meant. */
@NullMarked
package io.atoll.spring.autoconfigure.property;

import org.jspecify.annotations.NullMarked;
