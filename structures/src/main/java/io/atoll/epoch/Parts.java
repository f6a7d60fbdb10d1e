package io.atoll.epoch;

import io.atoll.world.Participant;

/**
 * Where the parts of an epoch manager are, and by which participant they are reached. The two are one value, which is
 * replaced as a whole when a rank has lost its segment: an offset of a lost one is used only by who never reaches another.
 *
 * @param blocks the {@link io.atoll.epoch.EpochBlock} of each rank, by offset
 */
record Parts(Participant self, long[] blocks) {}
