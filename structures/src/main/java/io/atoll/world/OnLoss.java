package io.atoll.world;

/** What happens to a structure when a rank loses the segment in which a part of it lay. */
public enum OnLoss {
    /**
     * The part stays lost: the structure cannot be opened any more. A process that has it open gets a failure where it
     * needs that part.
     */
    FAIL,
    /** The part begins empty. For structures that can be filled again, such as caches and filters. */
    EMPTY;

    /** Returns what is added to a structure's configuration: all ranks that open it must agree. */
    public String configuration() {
        return this == EMPTY ? " on-loss=empty" : "";
    }
}
