package io.atoll.epoch;

import io.atoll.world.NamedStructure;
import java.util.OptionalLong;

/** How the directory lists the blocks of a world's epoch manager. */
public final class EpochStructure {

    public static final String NAME = "epochs";

    private static final String TOKENS = "tokens";

    private EpochStructure() {}

    /** @param tokens of each block */
    public static String configuration(int tokens) {
        return NAME + " " + TOKENS + "=" + tokens;
    }

    /** Returns how many tokens each block has, or empty if the configuration does not say. */
    public static OptionalLong tokens(NamedStructure block) {
        return block.number(TOKENS);
    }
}
