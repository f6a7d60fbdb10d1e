package io.atoll.collective;

import io.atoll.collective.broadcast.Broadcaster.Polling;
import io.atoll.collective.model.LogGP;
import java.util.Optional;

/**
 * How collectives work in this process.
 *
 * @param polling how often it looks for what it has to pass on
 * @param costs by which algorithms are chosen; what the fabric takes about, unless told
 */
public record CollectiveSettings(Polling polling, Optional<LogGP> costs) {

    public static final CollectiveSettings DEFAULT = new CollectiveSettings(Polling.DEFAULT, Optional.empty());
}
