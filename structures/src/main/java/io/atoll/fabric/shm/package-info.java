/**
 * The fabric between processes of one host: each process maps the segment files of all ranks.
 *
 * <p>Read first {@code SharedMemoryFabric} and {@code SharedMemoryAttachment}. Then read {@code SegmentFile} and {@code
 * WorldFiles} (the files and their owners). Last comes {@code RankLock} (the lock that proves that a rank lives).
 */
@NullMarked
package io.atoll.fabric.shm;

import org.jspecify.annotations.NullMarked;
