/** Spring Integration's registry of locks, over a table of the world. */
@NullMarked
package io.atoll.spring.autoconfigure.integration;

import org.jspecify.annotations.NullMarked;
