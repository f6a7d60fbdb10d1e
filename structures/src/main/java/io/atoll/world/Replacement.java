package io.atoll.world;

import io.atoll.fabric.Endpoint;
import java.util.function.IntPredicate;

/**
 * Which lost blocks of a structure are made anew, although the structure does not {@linkplain OnLoss#EMPTY begin
 * empty}: blocks that only say what the processes of their rank do, or that are not missed.
 *
 * @param ranks whose blocks they are
 * @param beginning what is written there first
 */
public record Replacement(IntPredicate ranks, Beginning beginning) {

    /** Replaces no block: what is lost stays lost. */
    public static final Replacement NONE = zeroed(_ -> false);

    /** Replaces the blocks of those ranks, zeroed. */
    public static Replacement zeroed(IntPredicate ranks) {
        return new Replacement(ranks, (_, _, _) -> {});
    }

    /**
     * Writes to a zeroed block that replaces a lost one, before any other process knows of it. It may be called more
     * than once.
     */
    public interface Beginning {

        /** @param block where it lies in the rank's segment */
        void begin(Endpoint endpoint, int rank, long block);
    }
}
