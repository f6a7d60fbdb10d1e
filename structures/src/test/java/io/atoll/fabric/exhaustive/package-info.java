/**
 * Runs small protocols in every order in which their verbs can take effect. This finds what seeds may miss, for as many
 * steps as a machine can enumerate.
 */
@NullMarked
package io.atoll.fabric.exhaustive;

import org.jspecify.annotations.NullMarked;
