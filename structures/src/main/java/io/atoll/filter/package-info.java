/**
 * Bloom filters that are spread over the ranks and used one-sidedly (BCL, section 5.4).
 *
 * <p>Read {@link io.atoll.filter.BloomFilter} and {@link io.atoll.filter.LongBloomFilter}. Then read {@code
 * FilterBlocks}, the words in the segments and the operations on one element. {@code ManyElements} and {@code
 * WordChanges} operate on many at once. {@code FilterSize} with {@code BlockedRate} tells how large a filter is for a
 * rate of false positives.
 */
@NullMarked
package io.atoll.filter;

import org.jspecify.annotations.NullMarked;
