package io.atoll.history;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the histories of ranks, one-sidedly, and remembers them: the next time it reads what is new. What lies there is
 * not believed: whatever a segment holds, a reader stays within it, and ends. Any thread may use it.
 */
public final class HistoryReader {

    /** An attempt meets a rank that begins anew; one second later none does. */
    private static final int ATTEMPTS = 3;

    private final Map<Integer, Known> known = new ConcurrentHashMap<>();
    private final HistoryBlock block;

    public HistoryReader() {
        this(HistoryBlock.OF_RANKS);
    }

    HistoryReader(HistoryBlock block) {
        this.block = block;
    }

    /** Copies words from the segment of one rank. */
    @FunctionalInterface
    interface Source {

        /** Returns whether it could. */
        boolean read(long offset, long[] words, int first, int count);
    }

    /**
     * Reads by the fabric; empty if the rank keeps no history that this version reads. Cost: 3 R; 1 more for points that
     * are new, and for events, 2 more each where they go over the end of their ring, and 1 for who writes if that is
     * another process than before.
     *
     * @throws io.atoll.failure.FabricException when the rank cannot be reached
     */
    public Optional<RankHistory> read(Participant self, int rank) {
        Endpoint endpoint = self.endpoint();
        Source segment = (offset, words, first, count) -> {
            endpoint.read(rank, offset, MemorySegment.ofArray(words), first * Layouts.WORD, count * Layouts.WORD);
            return true;
        };
        return read(self, rank, Origin.LIVE, segment);
    }

    /** Reads the file that a rank of this host has left; empty if there is none. */
    public Optional<RankHistory> readLeft(Participant self, Attachment attachment, int rank) {
        Source file = (offset, words, first, count) -> attachment.readLeft(rank, offset,
                MemorySegment.ofArray(words).asSlice(first * Layouts.WORD, count * Layouts.WORD));
        return read(self, rank, Origin.FILE, file);
    }

    private Optional<RankHistory> read(Participant self, int rank, Origin origin, Source source) {
        return read(rank, origin, source, self.historyWord(), self.segmentBytes(), System.currentTimeMillis());
    }

    /** @param word where the offset of the block is */
    Optional<RankHistory> read(int rank, Origin origin, Source source, long word, long segmentBytes, long nowMillis) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            long[] offset = new long[1];
            if (!source.read(word, offset, 0, 1) || !isWithin(offset[0], segmentBytes)) {
                return Optional.empty();
            }
            Reading reading = new Reading(block, source, offset[0], known.get(rank));
            Known read = reading.read();
            if (read != null) {
                known.put(rank, read);
                return Optional.of(read.history(rank, origin, nowMillis));
            }
            if (!reading.isWorthRepeating()) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    private boolean isWithin(long offset, long segmentBytes) {
        return offset > 0 && offset % Layouts.CACHE_LINE == 0 && offset <= segmentBytes - block.bytes();
    }

    /** What is known of the rank, for tests. */
    @Nullable Known known(int rank) {
        return known.get(rank);
    }
}
