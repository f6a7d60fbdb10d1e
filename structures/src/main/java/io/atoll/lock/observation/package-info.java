/** What goes on in a table of locks, for those who look on. */
@NullMarked
package io.atoll.lock.observation;

import org.jspecify.annotations.NullMarked;
