package io.atoll.epoch;

import io.atoll.fabric.Batch;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Liveness;
import io.atoll.world.Participant;
import java.util.Optional;

/**
 * The epoch of the world, and how it is advanced. Only the thread that holds this rank's election may call
 * {@link #tryAdvance}, one thread at a time.
 *
 * <p>Only the order of the steps makes it safe. An advancer (1) reads the epoch E. It (2) then reads every token. Only
 * if all pinned tokens are pinned in E, it (3) makes E into E + 1 by compare-and-exchange. So a token that is pinned in
 * e keeps the epoch at e + 1 or below. To end e + 1, an advancer must first have read e + 1, and then the token. The
 * election only saves work: two advancers do no harm.
 *
 * <p>Tokens are pinned in the epoch that their rank has cached, which may lag. Every advancer first raises the caches
 * that lag. Otherwise an advancer that died between the epoch and the caches could stop the world. A rank whose tokens
 * are pinned all the time would stay in the epoch that it has cached.
 */
class GlobalEpoch {

    private static final long SCAN = EpochBlock.CACHED_EPOCH;
    private static final int RANK_BITS = 16;

    /** The outcome of an attempt. */
    enum Outcome {
        ADVANCED, LOST_ELECTION, BLOCKED
    }

    /**
     * @param epoch of the world at a moment of the attempt; the world may be in a later one by now
     * @param blocker the token or rank in the way, if it is known
     */
    record Attempt(Outcome outcome, long epoch, Optional<Blocker> blocker) {}

    /** @param thread whose token is in the way; empty if the rank as a whole is, because it cannot be read */
    record Blocker(int rank, String thread) {}

    private volatile EpochParts epochParts; // replaced by the one thread
    private final int home;
    private final LocalMemory memory;
    private final int tokens;
    private final int[] tokensUsed; // by rank, as far as this rank knows
    private final int rank;
    private final long own;

    GlobalEpoch(Participant self, long[] blocks, int home, int tokens) {
        this.epochParts = new EpochParts(self, blocks);
        this.home = home;
        this.tokens = tokens;
        this.memory = self.endpoint().fabric().local();
        this.tokensUsed = new int[blocks.length];
        this.rank = self.rank();
        this.own = (long) self.incarnation() << RANK_BITS | self.rank();
    }

    /** From now on ranks are reached by those parts. */
    final void reach(EpochParts renewed) {
        epochParts = renewed;
    }

    private Participant self() {
        return epochParts.self();
    }

    /** Reads the epoch. Nothing that follows in this thread happens before the read. Cost: R. */
    long read() {
        // Read once: any thread may call this, and the parts may be replaced meanwhile.
        EpochParts present = epochParts;
        long epoch = present.self().endpoint().readWord(home, present.blocks()[home] + EpochBlock.EPOCH);
        memory.acquireFence();
        return epoch;
    }

    /**
     * Advances the epoch by one, if no token is in the way. Cost: R + A if another rank is already advancing it.
     * Otherwise R + 2 A, and R for each rank, all in one batch. If it succeeds, A more, and W for each rank, not waited
     * for. Does not wait for other ranks.
     */
    final Attempt tryAdvance() {
        // (1) before the tokens are read.
        long epoch = read();
        boolean lost = false;
        try {
            lost = !elect();
            return lost ? new Attempt(Outcome.LOST_ELECTION, epoch, Optional.empty()) : swing(epoch);
        } finally {
            // Also if the answer is missing: this rank may have been elected.
            if (!lost) {
                undoElection();
            }
        }
    }

    // --- the election ---

    private boolean elect() {
        long holder = exchangeAdvancer(0, own);
        if (holder == 0 || holder == own) {
            return true;
        }
        int elected = (int) holder & (1 << RANK_BITS) - 1;
        boolean dead = self().liveness().isFenced(elected, (int) (holder >>> RANK_BITS), home);
        return dead && exchangeAdvancer(holder, own) == holder;
    }

    /** Undoes the election at the home where it took place. If that is impossible now, it is done later. */
    private void undoElection() {
        EpochParts elected = epochParts;
        elected.self().reservations().undo(home, () -> exchangeAdvancer(elected, own, 0));
    }

    private long exchangeAdvancer(long expected, long value) {
        return exchangeAdvancer(epochParts, expected, value);
    }

    private long exchangeAdvancer(EpochParts reached, long expected, long value) {
        return reached.self()
                .endpoint()
                .compareAndExchange(home, reached.blocks()[home] + EpochBlock.ADVANCER, expected, value);
    }

    // --- advancing ---

    Attempt swing(long epoch) {
        // (2) between the epoch (1) and its successor (3).
        Optional<Blocker> blocker = scan(epoch);
        if (blocker.isPresent()) {
            return new Attempt(Outcome.BLOCKED, epoch, blocker);
        }
        if (!advance(epoch)) {
            return new Attempt(Outcome.LOST_ELECTION, epoch, Optional.empty());
        }
        for (int rank = 0; rank < epochParts.blocks().length; rank++) {
            raiseCache(rank, epoch + 1);
        }
        return new Attempt(Outcome.ADVANCED, epoch + 1, Optional.empty());
    }

    /** (3) */
    final boolean advance(long epoch) {
        return self().endpoint()
                .compareAndExchange(home, epochParts.blocks()[home] + EpochBlock.EPOCH, epoch, epoch + 1) == epoch;
    }

    void raiseCache(int rank, long epoch) {
        try {
            self().endpoint().writeWord(rank, epochParts.blocks()[rank] + EpochBlock.CACHED_EPOCH, epoch);
        } catch (RankUnreachableException gone) {
            // When the rank is back, the next advancer finds that its cache lags.
        }
    }

    /** Raises the caches that lag. Returns what keeps the epoch from ending. */
    Optional<Blocker> scan(long epoch) {
        Optional<Blocker> blocker = Optional.empty();
        int first = 0;
        while (first < epochParts.blocks().length) {
            int end = first + 1;
            long bytes = scanBytes(first);
            while (end < epochParts.blocks().length && bytes + scanBytes(end) <= Batch.THREAD_BUFFER_BYTES) {
                bytes += scanBytes(end++);
            }
            Optional<Blocker> found = scan(first, end, epoch);
            blocker = blocker.isPresent() ? blocker : found;
            first = end;
        }
        return blocker;
    }

    private long scanBytes(int rank) {
        return EpochBlock.token(tokensUsed[rank]) - SCAN;
    }

    private Optional<Blocker> scan(int first, int end, long epoch) {
        try (Batch batch = self().endpoint().fabric().batch()) {
            long position = 0;
            for (int rank = first; rank < end; rank++) {
                if (rank != this.rank) {
                    batch.read(rank, epochParts.blocks()[rank] + SCAN, position, scanBytes(rank));
                }
                position += scanBytes(rank);
            }
            batch.complete();
            return judge(batch.memory(position), first, end, epoch);
        } catch (FabricException gone) {
            return end - first == 1 ? unlessGone(first) : scanEach(first, end, epoch);
        }
    }

    /** Scans rank by rank, to find out whose segment is not there. */
    private Optional<Blocker> scanEach(int first, int end, long epoch) {
        Optional<Blocker> blocker = Optional.empty();
        for (int rank = first; rank < end; rank++) {
            Optional<Blocker> found = scan(rank, rank + 1, epoch);
            blocker = blocker.isPresent() ? blocker : found;
        }
        return blocker;
    }

    /** A rank that cannot be read is in the way, unless all its incarnations have ended. */
    private Optional<Blocker> unlessGone(int rank) {
        return isFenced(rank, Liveness.EVERY_INCARNATION) ? Optional.empty() : Optional.of(new Blocker(rank, ""));
    }

    private Optional<Blocker> judge(LocalMemory batch, int first, int end, long epoch) {
        // Copied first: raising a cache, or reading more, may use the batch.
        Optional<Blocker> blocker = Optional.empty();
        long[] caches = new long[end - first];
        int[] used = new int[end - first];
        long position = 0;
        for (int rank = first; rank < end; rank++) {
            LocalMemory from = rank == this.rank ? memory : batch;
            long block = rank == this.rank ? epochParts.blocks()[rank] : position - SCAN;
            caches[rank - first] = from.getAcquire(block + EpochBlock.CACHED_EPOCH);
            used[rank - first] = (int) from.getAcquire(block + EpochBlock.TOKENS);
            Optional<Blocker> found = judge(from, rank, block, epoch, tokensRead(rank, used[rank - first]));
            blocker = blocker.isPresent() ? blocker : found;
            position += scanBytes(rank);
        }
        for (int rank = first; rank < end; rank++) {
            // A cache above the epoch comes from the time before the home lost its segment.
            if (caches[rank - first] != epoch) {
                raiseCache(rank, epoch);
            }
        }
        for (int rank = first; rank < end; rank++) {
            boolean isMore = rank != this.rank && used[rank - first] > tokensUsed[rank];
            tokensUsed[rank] = Math.max(tokensUsed[rank], Math.min(tokens, used[rank - first]));
            Optional<Blocker> found = isMore ? scan(rank, rank + 1, epoch) : Optional.empty();
            blocker = blocker.isPresent() ? blocker : found;
        }
        return blocker;
    }

    private int tokensRead(int rank, int used) {
        return rank == this.rank ? used : Math.min(used, tokensUsed[rank]);
    }

    private Optional<Blocker> judge(LocalMemory from, int rank, long block, long epoch, int tokensRead) {
        int incarnation = (int) from.getAcquire(block + EpochBlock.INCARNATION);
        for (int index = 0; index < tokensRead; index++) {
            long token = block + EpochBlock.token(index);
            if (Announcement.blocks(from.getAcquire(token + EpochBlock.ANNOUNCEMENT), epoch)) {
                return counts(rank, incarnation)
                        ? Optional.of(new Blocker(rank, EpochBlock.readReason(from, block, token)))
                        : Optional.empty();
            }
        }
        return Optional.empty();
    }

    /** Returns false for tokens of a dead incarnation, once it can reach no object any more. */
    private boolean counts(int rank, int incarnation) {
        return rank == this.rank || !isFenced(rank, incarnation);
    }

    boolean isFenced(int rank, int incarnation) {
        for (int segment = 0; segment < epochParts.blocks().length; segment++) {
            if (!self().liveness().isFenced(rank, incarnation, segment)) {
                return false;
            }
        }
        return true;
    }
}
