/** Compares round trips with those of C, Redis and Hazelcast on the same machine, at the same time. */
@NullMarked
package io.atoll.peers;

import org.jspecify.annotations.NullMarked;
