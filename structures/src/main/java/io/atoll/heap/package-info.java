/**
 * The allocator of the world's segments, which works by verbs alone: runs of slabs, and small objects within slabs.
 *
 * <p>Read in this order: {@code HeapArea} and {@code SlabWord}, the table that says what each slab is used for. {@code
 * Runs} and {@code Coalescing}: runs are reserved, committed, freed and joined. {@code SmallObjects} with {@code
 * ObjectSlab} and {@code SlabCache}: small objects are claimed in groups. {@code
 * BulkClaim} and {@code BulkFree}: many objects are claimed and freed together. {@link io.atoll.heap.Heap} joins them.
 */
@NullMarked
package io.atoll.heap;

import org.jspecify.annotations.NullMarked;
