/**
 * Epoch-based reclamation (Dewan and Jenkins): an object that was unlinked is freed when no thread of any rank can
 * still hold a pointer to it.
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@link io.atoll.epoch.EpochManager} and {@link io.atoll.epoch.Token}: what applications use, and the argument why
 * it is safe.
 * <li>The words in the segments: {@code EpochBlock}, {@code Announcement}, {@code Bag}.
 * <li>{@code WorldToken} announces and retires; {@code GlobalEpoch} advances the epoch; {@code LimboLists} keep what
 * waits; {@code ScatterList} hands groups back to the owners of their objects.
 * <li>{@code Reclamation}: a rank's part, and what becomes of the part of a rank that has died.
 * <li>{@link io.atoll.epoch.EpochSnapshot}, {@code EpochReader}: what others see, read one-sidedly.
 * <li>{@link io.atoll.epoch.LocalEpochManager}, {@code LocalToken}, {@code LocalBag}: the same for the threads of one
 * process, without a world.
 * </ol>
 */
@NullMarked
package io.atoll.epoch;

import org.jspecify.annotations.NullMarked;
