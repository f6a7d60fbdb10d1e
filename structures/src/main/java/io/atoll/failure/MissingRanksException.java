package io.atoll.failure;

import java.time.Duration;
import java.util.List;
import java.util.SortedMap;

/** The world did not become whole in time. */
public final class MissingRanksException extends AtollException {

    private static final long serialVersionUID = 1L;

    private final transient List<Integer> missingRanks;

    /** @param refusals why the segments of some of the missing ranks cannot be used, though they are there */
    public MissingRanksException(String world, int size, List<Integer> missingRanks,
            SortedMap<Integer, String> refusals,
            Duration waited) {
        super("ranks are missing, start them with the same name and size of the world (atoll.world.name,"
                + " atoll.world.size), or wait longer (atoll.world.join-timeout): world=" + world + " size=" + size
                + " missing=" + missingRanks + (refusals.isEmpty() ? "" : " refused=" + refusals) + " waitedMillis="
                + waited.toMillis());
        this.missingRanks = List.copyOf(missingRanks);
    }

    public List<Integer> missingRanks() {
        return missingRanks;
    }
}
