package io.atoll.background;

import java.time.Duration;

/**
 * The cause that keeps a background thread from its work.
 *
 * @param thread its name
 * @param problem what has happened
 * @param since how long ago that began
 */
public record Trouble(String thread, String problem, Duration since) {}
