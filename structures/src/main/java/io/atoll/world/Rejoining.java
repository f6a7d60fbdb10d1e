package io.atoll.world;

import io.atoll.failure.JoinRefusedException;
import java.time.Duration;

/**
 * The state of a process that a view has removed from its world, and that joins again by itself.
 *
 * @param removal why its last life has ended
 * @param since how long ago that was
 * @param waitsFor what must happen before it takes part again, in words
 */
public record Rejoining(JoinRefusedException removal, Duration since, String waitsFor) {}
