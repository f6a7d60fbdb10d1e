/**
 * Membership through Hazelcast: which processes take part, and which have left. None of its data structures are used.
 */
@NullMarked
package io.atoll.world.hazelcast;

import org.jspecify.annotations.NullMarked;
