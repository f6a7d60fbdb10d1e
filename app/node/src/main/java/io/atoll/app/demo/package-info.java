/**
 * Bounded load on structures of every kind. It gives a user who starts a node for the first time a console with
 * activity.
 */
@NullMarked
package io.atoll.app.demo;

import org.jspecify.annotations.NullMarked;
