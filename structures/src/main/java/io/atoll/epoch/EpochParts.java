package io.atoll.epoch;

import io.atoll.world.Participant;

/**
 * Where the parts of an epoch manager are, and the participant that reaches them. The two are replaced together, as one
 * value, when a rank has lost its segment. So only a participant that never reaches the new segment uses an offset of
 * the lost one.
 *
 * @param blocks the {@link io.atoll.epoch.EpochBlock} of each rank, by offset
 */
record EpochParts(Participant self, long[] blocks) {}
