/** Small protocols in every order in which their verbs can take effect: what seeds may miss, for as many steps as a machine can count out. */
@NullMarked
package io.atoll.fabric.exhaustive;

import org.jspecify.annotations.NullMarked;
