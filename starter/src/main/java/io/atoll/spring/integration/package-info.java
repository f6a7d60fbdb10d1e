/** Locks of the world where Spring Integration asks for some. */
@NullMarked
package io.atoll.spring.integration;

import org.jspecify.annotations.NullMarked;
