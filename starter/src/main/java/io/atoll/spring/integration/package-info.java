/** Locks of the world for Spring Integration. */
@NullMarked
package io.atoll.spring.integration;

import org.jspecify.annotations.NullMarked;
