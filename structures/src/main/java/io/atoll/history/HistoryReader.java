package io.atoll.history;

import io.atoll.fabric.Attachment;
import io.atoll.world.Participant;
import java.util.Optional;

/** Reads the histories of ranks. Any thread may use it. */
public final class HistoryReader {

    /** Reads by the fabric. */
    public Optional<RankHistory> read(Participant self, int rank) {
        return Optional.empty();
    }

    /** Reads the file that a rank of this host has left. */
    public Optional<RankHistory> readLeft(Participant self, Attachment attachment, int rank) {
        return Optional.empty();
    }
}
