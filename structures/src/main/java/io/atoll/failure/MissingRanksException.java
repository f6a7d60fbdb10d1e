package io.atoll.failure;

import java.time.Duration;
import java.util.List;

/** The world did not become whole in time. */
public final class MissingRanksException extends AtollException {

    private static final long serialVersionUID = 1L;

    private final transient List<Integer> missingRanks;

    public MissingRanksException(String world, int size, List<Integer> missingRanks, Duration waited) {
        super("ranks are missing, start them or wait longer: world=" + world + " size=" + size + " missing="
                + missingRanks + " waitedMillis="
                + waited.toMillis());
        this.missingRanks = List.copyOf(missingRanks);
    }

    public List<Integer> missingRanks() {
        return missingRanks;
    }
}
