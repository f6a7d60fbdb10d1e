/**
 * Refuses properties under {@code atoll.} that nothing reads. Otherwise a mistyped name would silently leave the
 * default in effect.
 */
@NullMarked
package io.atoll.spring.autoconfigure.property;

import org.jspecify.annotations.NullMarked;
