package io.atoll.history;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the histories of ranks, one-sidedly, and remembers them: the next time it reads only what is new. It does not
 * trust the contents: whatever a segment holds, a reader stays within it, and ends. Any thread may use it. Threads that
 * read the same history at once share what the first of them reads.
 */
public final class HistoryReader {

    private static final Logger LOG = LoggerFactory.getLogger(HistoryReader.class);

    /** An attempt may meet a rank that begins anew; one second later none does. */
    private static final int ATTEMPTS = 3;

    /**
     * After this time a thread that waits for another one's reading reads by itself: verbs give up earlier, as a rule.
     */
    private static final long SHARED_WAIT_SECONDS = 30;

    private final Map<Integer, KnownHistory> known = new ConcurrentHashMap<>();
    private final Map<Read, CompletableFuture<Optional<RankHistory>>> underWay = new ConcurrentHashMap<>();
    private final HistoryBlock block;

    public HistoryReader() {
        this(HistoryBlock.OF_RANKS);
    }

    HistoryReader(HistoryBlock block) {
        this.block = block;
    }

    /** Identifies a reading: the rank, and the place where its history is read. */
    private record Read(int rank, RankHistory.Origin origin) {}

    /** Copies words from the segment of one rank. */
    @FunctionalInterface
    interface Source {

        /** Returns true if it could copy them. */
        boolean read(long offset, long[] words, int first, int count);
    }

    /**
     * Reads by the fabric. Returns empty if the rank keeps no history that this version reads. Cost: 3 R. 1 R more each
     * for new points, new events and new operations. Points or events that go over the end of their ring take 2 R
     * instead. 1 R more for the identity if another process writes than before.
     *
     * @throws io.atoll.failure.FabricException if the rank cannot be reached
     */
    public Optional<RankHistory> read(Participant self, int rank) {
        Endpoint endpoint = self.endpoint();
        Source segment = (offset, words, first, count) -> {
            endpoint.read(rank, offset, MemorySegment.ofArray(words), first * Layouts.WORD, count * Layouts.WORD);
            return true;
        };
        return read(self, rank, RankHistory.Origin.LIVE, segment);
    }

    /** Reads the file that a rank of this host has left. Returns empty if there is none. */
    public Optional<RankHistory> readLeft(Participant self, Attachment attachment, int rank) {
        Source file = (offset, words, first, count) -> attachment.readLeft(rank, offset,
                MemorySegment.ofArray(words).asSlice(first * Layouts.WORD, count * Layouts.WORD));
        return read(self, rank, RankHistory.Origin.FILE, file);
    }

    private Optional<RankHistory> read(Participant self, int rank, RankHistory.Origin origin, Source source) {
        return read(rank, origin, source, self.historyWord(), self.segmentBytes(), System.currentTimeMillis());
    }

    /** @param word the offset of the word that holds the offset of the block */
    Optional<RankHistory> read(int rank, RankHistory.Origin origin, Source source, long word, long segmentBytes,
            long nowMillis) {
        var own = new CompletableFuture<Optional<RankHistory>>();
        var key = new Read(rank, origin);
        CompletableFuture<Optional<RankHistory>> others = underWay.putIfAbsent(key, own);
        if (others != null) {
            return await(others).orElseGet(() -> readNow(rank, origin, source, word, segmentBytes, nowMillis));
        }
        try {
            Optional<RankHistory> read = readNow(rank, origin, source, word, segmentBytes, nowMillis);
            own.complete(read);
            return read;
        } finally {
            underWay.remove(key, own);
            // If the reading has failed, the waiting threads read by themselves.
            own.cancel(false);
        }
    }

    /** Returns empty if the other reading has failed, or takes too long. */
    private static Optional<Optional<RankHistory>> await(CompletableFuture<Optional<RankHistory>> others) {
        try {
            return Optional.of(others.get(SHARED_WAIT_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } catch (CancellationException | ExecutionException | TimeoutException failed) {
            LOG.debug("another thread has not read a history", failed);
        }
        return Optional.empty();
    }

    private Optional<RankHistory> readNow(int rank, RankHistory.Origin origin, Source source, long word,
            long segmentBytes, long nowMillis) {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            long[] offset = new long[1];
            if (!source.read(word, offset, 0, 1) || !isWithin(offset[0], segmentBytes)) {
                return Optional.empty();
            }
            Reading reading = new Reading(block, source, offset[0], known.get(rank));
            KnownHistory read = reading.read(attempt == ATTEMPTS - 1);
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

    /** Returns what is known of the rank, for tests. */
    @Nullable KnownHistory known(int rank) {
        return known.get(rank);
    }
}
