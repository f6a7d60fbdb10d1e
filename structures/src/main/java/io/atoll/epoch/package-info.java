/**
 * Epoch-based reclamation (Dewan and Jenkins): an object that was unlinked is freed when no thread of any rank can
 * still hold a pointer to it.
 *
 * <p>Read in this order:
 * <ol>
 * <li>{@link io.atoll.epoch.EpochManager} and {@link io.atoll.epoch.Token}: the interface for applications, and the
 * argument why it is safe.
 * <li>The words in the segments: {@code EpochBlock}, {@code Announcement}, {@code Bag}.
 * <li>{@code WorldToken} announces and retires. {@code GlobalEpoch} advances the epoch. {@code LimboLists} keep the
 * objects that wait. {@code ScatterList} hands groups back to the owners of their objects.
 * <li>{@code KeptPins}: why a pin may outlast its operation.
 * <li>{@code RankEpochs}: a rank's part, and how the part of a dead rank is taken over.
 * <li>{@link io.atoll.epoch.EpochSnapshot}, {@code EpochReader}: how observers read the state one-sidedly.
 * <li>{@link io.atoll.epoch.LocalEpochManager}, {@code LocalToken}, {@code LocalBag}: the same for the threads of one
 * process, without a world.
 * </ol>
 */
@NullMarked
package io.atoll.epoch;

import org.jspecify.annotations.NullMarked;
