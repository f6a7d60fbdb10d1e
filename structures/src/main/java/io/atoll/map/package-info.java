/**
 * Hash maps that are spread over the ranks and used one-sidedly (BCL, sections 5.1 and 5.3).
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@link io.atoll.map.LongLongMap}, from long to long, is the shorter walk: {@code LongBucket} is the picture of
 * two words, {@code LongSearch} finds, {@code LongWriter} reserves and publishes, {@code LongTable} joins both.
 * <li>{@link io.atoll.map.DistributedMap}, for any key and value: {@code Bucket} is the picture, {@code BucketSearch}
 * finds, {@code BucketWriter} reserves, writes and publishes, {@code BucketTable} joins both. {@code Edit} says what an
 * operation wants, {@code Entries} how it reaches the buckets: {@code InlineEntries} keep keys and values in them,
 * {@code PayloadEntries} beside them ({@code Payload}, {@code PayloadReference}).
 * <li>Where a rank's buckets lie: {@code Block} is the picture, {@code FixedBlocks} stay, {@code GrowingBlocks} are
 * replaced by larger ones while the map is used ({@code Migration}, {@code Mover}, {@code Capacity}).
 * <li>Several keys at once: {@code BulkFind}, {@code BulkPut}, {@code BucketIterator}.
 * <li>{@link io.atoll.map.HashMapBuffer}: insertions are sent to their owners in batches ({@code Stage},
 * {@code Message}).
 * <li>{@code MapUse}: the promises of callers, and who checks them.
 * </ol>
 */
@NullMarked
package io.atoll.map;

import org.jspecify.annotations.NullMarked;
