package io.atoll.fabric.rdma;

import io.atoll.fabric.Guarantees;

/**
 * The guarantees of a device and its settings beyond the specification of RDMA, according to its vendor.
 *
 * @param atomicReadBytes see {@link Guarantees}
 * @param readsInOrder see {@link Guarantees}
 */
public record ReadGuarantees(int atomicReadBytes, boolean readsInOrder) {}
