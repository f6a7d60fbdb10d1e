/** The RDMA device of this machine: which one it is, how it is reached, what it guarantees, and the memory that it may reach. */
@NullMarked
package io.atoll.fabric.rdma;

import org.jspecify.annotations.NullMarked;
