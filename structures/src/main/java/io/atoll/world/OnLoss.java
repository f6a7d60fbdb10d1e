package io.atoll.world;

/** What becomes of the part of a structure that lay in a segment which its rank has lost. */
public enum OnLoss {
    /** It stays lost: the structure cannot be opened any more, and who has it open is told so where it needs that part. */
    FAIL,
    /** It begins empty: for what can be filled again, such as caches and filters. */
    EMPTY;

    /** What is added to a structure's configuration: all who open it must agree. */
    public String configuration() {
        return this == EMPTY ? " on-loss=empty" : "";
    }
}
