/**
 * The fabric between processes of one host: each process maps the segment files of all ranks.
 *
 * <p>Read {@code SharedMemoryFabric} and {@code SharedMemoryAttachment}, then {@code SegmentFile} and
 * {@code WorldFiles} (the files and their owners) and {@code RankLock} (the lock that proves that a rank lives).
 */
@NullMarked
package io.atoll.fabric.shm;

import org.jspecify.annotations.NullMarked;
