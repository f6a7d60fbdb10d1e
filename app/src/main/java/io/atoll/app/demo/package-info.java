/** Bounded load on structures of every kind, so that who starts a node for the first time sees a console that is alive. */
@NullMarked
package io.atoll.app.demo;

import org.jspecify.annotations.NullMarked;
