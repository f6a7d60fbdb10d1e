/** Membership through Hazelcast: who takes part, who has left. None of its data structures are used. */
@NullMarked
package io.atoll.world.hazelcast;

import org.jspecify.annotations.NullMarked;
