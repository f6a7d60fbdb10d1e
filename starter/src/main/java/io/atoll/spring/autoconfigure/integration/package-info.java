/** Auto-configuration of Spring Integration's lock registry, over a lock table of the world. */
@NullMarked
package io.atoll.spring.autoconfigure.integration;

import org.jspecify.annotations.NullMarked;
