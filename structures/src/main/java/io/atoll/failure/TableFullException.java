package io.atoll.failure;

import java.util.Optional;

/** No bucket is left for a new key in the block of the rank that owns it. The map is unharmed. */
public final class TableFullException extends AtollException {

    private static final long serialVersionUID = 1L;

    private final String map;
    private final int rank;

    public TableFullException(String map, int rank, long buckets) {
        super("the map's block is full, give it more capacity: structure=" + map + " rank=" + rank + " buckets="
                + buckets);
        this.map = map;
        this.rank = rank;
    }

    @Override
    public Optional<String> structure() {
        return Optional.of(map);
    }

    public int rank() {
        return rank;
    }
}
