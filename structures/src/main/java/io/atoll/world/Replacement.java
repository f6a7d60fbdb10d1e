package io.atoll.world;

import io.atoll.fabric.Endpoint;
import java.util.function.IntPredicate;

/**
 * Which blocks of a structure are made anew when they are lost, although the structure does not {@linkplain OnLoss#EMPTY begin empty}: those
 * that say only what the processes of their rank do, or what nobody misses.
 *
 * @param ranks whose blocks they are
 * @param beginning what is written there first
 */
public record Replacement(IntPredicate ranks, Beginning beginning) {

    /** No block: what is lost stays lost. */
    public static final Replacement NONE = zeroed(_ -> false);

    /** Those ranks' blocks, zeroed. */
    public static Replacement zeroed(IntPredicate ranks) {
        return new Replacement(ranks, (_, _, _) -> {});
    }

    /** Writes to a zeroed block that replaces a lost one, before anybody else knows of it. It may be called more than once. */
    public interface Beginning {

        /** @param block where it lies in the rank's segment */
        void begin(Endpoint endpoint, int rank, long block);
    }
}
