/**
 * Hash maps that are spread over the ranks and used one-sidedly (BCL, sections 5.1 and 5.3).
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@link io.atoll.map.LongLongMap}, from long to long, is the shorter walk. {@code LongBucket} is the picture of
 * two words and numbers the steps. {@code LongReader} finds, and {@code LongWriter} reserves, writes and publishes.
 * {@code LongTable} has both.
 * <li>{@link io.atoll.map.DistributedMap} takes any key and value. {@code Bucket} is the picture and numbers the steps.
 * {@code BucketReader} finds, and {@code BucketWriter} reserves, writes and publishes. {@code BucketTable} has both.
 * {@code BucketComputer} asks a function while a bucket is reserved. {@code Edit} says what an operation wants. {@code
 * Entries} say how it reaches the buckets: {@code InlineEntries} keep keys and values in the buckets, {@code
 * PayloadEntries} keep them beside ({@code Payload}, {@code PayloadReference}).
 * <li>{@code Block} is the picture of where a rank's buckets lie. {@code FixedBlocks} stay. {@code GrowingBlocks} are
 * replaced by larger ones while the map is used ({@code Migration}, {@code Mover}, {@code Capacity}). Buckets of other
 * ranks are moved in {@code MoveRounds}.
 * <li>{@code BulkFind}, {@code BulkPut} and {@code BucketIterator} handle several keys at once. Those of other ranks go
 * in rounds: {@code FindRounds}, {@code PutRounds}, {@code BulkSearch}, {@code BulkReplacement}.
 * <li>{@code ReservingOperation} is an asynchronous operation on one key, by rounds that it shares with others: {@code
 * LongOperation}, {@code EntryOperation}. Where the owner decides, the searches of both tables serve it, too: {@code
 * LongSearcher}, {@code BucketSearcher}.
 * <li>{@link io.atoll.map.HashMapBuffer} sends insertions to their owners in batches ({@code SendBuffer},
 * {@code Message}).
 * <li>{@code MapPromises} lists the operations and promises of callers. Each public method checks its own once.
 * </ol>
 */
@NullMarked
package io.atoll.map;

import org.jspecify.annotations.NullMarked;
