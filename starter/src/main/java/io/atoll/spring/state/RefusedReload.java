package io.atoll.spring.state;

import java.time.Instant;

/**
 * Certificates that were loaded anew and are not used: new connections go on with those that were loaded before.
 *
 * @param bundle name of the SSL bundle
 * @param since when what was loaded anew could not be used for the first time; each time since then neither
 * @param reason of the last time
 */
public record RefusedReload(String bundle, Instant since, String reason) {}
