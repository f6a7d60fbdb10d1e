package io.atoll.spring.state;

import java.time.Instant;

/**
 * Certificates that were reloaded but are not used. New connections go on with the certificates that were loaded
 * before.
 *
 * @param bundle the name of the SSL bundle
 * @param since when a reload failed for the first time; every reload since then has failed, too
 * @param reason why the last reload failed
 */
public record RefusedReload(String bundle, Instant since, String reason) {}
