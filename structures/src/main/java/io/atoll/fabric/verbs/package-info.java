/** Verbs over RDMA: reads, writes and atomics that the network card of the owner executes, on reliable connections. */
@NullMarked
package io.atoll.fabric.verbs;

import org.jspecify.annotations.NullMarked;
