/**
 * Bloom filters that are spread over the ranks and used one-sidedly (BCL, section 5.4).
 *
 * <p>Read {@link io.atoll.filter.BloomFilter} and {@link io.atoll.filter.LongBloomFilter}, then {@code FilterBlocks}
 * (the words in the segments), {@code WordChanges} and {@code ManyElements} (one element, many at once), and
 * {@code FilterSize} with {@code BlockedRate} (how large a filter is for a rate of false positives).
 */
@NullMarked
package io.atoll.filter;

import org.jspecify.annotations.NullMarked;
