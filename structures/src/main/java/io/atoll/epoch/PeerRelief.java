package io.atoll.epoch;

import io.atoll.epoch.EpochSnapshot.TokenState;
import io.atoll.fabric.Backoff;
import io.atoll.failure.FabricException;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How ranks ask each other to free retired objects of a segment that is full. Only the rank that has retired an object
 * frees it, and a rank that does nothing would never do so.
 * <pre>
 *   a rank that asks                             the rank that is asked
 *
 *   (1) sees in its limbo what it could free
 *   (2) adds 1 to asked, an atomic  ---------->  (3) loads asked, at its next tick
 *                                                (4) seals idle bags, advances the epoch, frees what it can
 *   (6) reads served, then freed    &lt;----------  (5) stores as served what (3) has loaded, release
 * </pre>
 * (2) returns the number of the request. Every service that covers this number was begun after (2), since (3) comes
 * before (4). So all ranks that ask before (3) share one service. (4) comes before (5), and its atomics have returned:
 * a rank that sees (5) finds the room.
 *
 * <p>No rank depends on an answer. A rank that does not answer within {@link #PATIENCE} is not asked again until it has
 * answered. A rank whose service freed nothing is not asked again until the epoch can advance.
 */
final class PeerRelief {

    /** Several ticks of the rank that is asked. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(PeerRelief.class);

    private final Supplier<EpochParts> parts;
    private final Participant self; // as which this process began
    private final LocalMemory memory;
    private final long own;
    private final Duration patience;
    // by rank: the last one that was not served in time
    private final AtomicReferenceArray<@Nullable Request> unanswered;
    // by rank: the last one that was served and freed nothing
    private final AtomicReferenceArray<@Nullable Request> inVain;

    /**
     * A request that is under way.
     *
     * @param number the request is served once {@code served} has reached it
     * @param freed by the rank before the request
     * @param epoch of the world before the request
     */
    private record Request(int rank, int incarnation, long number, long freed, long epoch) {}

    PeerRelief(Participant self, long[] blocks) {
        this(() -> new EpochParts(self, blocks));
    }

    /** @param parts returns the present ones */
    PeerRelief(Supplier<EpochParts> parts) {
        this.parts = parts;
        this.self = parts.get().self();
        this.memory = self.endpoint().fabric().local();
        this.own = parts.get().blocks()[self.rank()];
        Duration timeout = self.reservations().timeout();
        this.patience = timeout.compareTo(PATIENCE) < 0 ? timeout : PATIENCE;
        this.unanswered = new AtomicReferenceArray<>(self.size());
        this.inVain = new AtomicReferenceArray<>(self.size());
    }

    // --- the rank that is asked ---

    /** Returns true if a request waits. No verb. */
    boolean isAsked() {
        return memory.getAcquire(own + EpochBlock.ASKED) != memory.get(own + EpochBlock.SERVED);
    }

    /** Called by one thread at a time. */
    void serve(Runnable freeing) {
        // (3)
        long asked = memory.getAcquire(own + EpochBlock.ASKED);
        // (4)
        freeing.run();
        // (5)
        memory.setRelease(own + EpochBlock.SERVED, asked);
    }

    // --- a rank that asks ---

    /**
     * Asks each present rank that holds retired objects of the segment, all at once. Waits until one of them has freed
     * something, or until none is left to wait for. Cost, for each rank that is asked: A, R for each look whether it
     * has served, and R to read what it has freed. R more for a rank that has not answered before.
     *
     * @param segment the rank whose segment is full
     * @param snapshot of a moment ago
     * @param meanwhile run before each look
     * @return true if one of them has freed anything
     */
    boolean ask(int segment, EpochSnapshot snapshot, Runnable meanwhile) {
        int[] incarnations = self.incarnations();
        List<EpochSnapshot.Rank> there = snapshot.ranks()
                .stream()
                .filter(rank -> rank.present() && rank.incarnation() == incarnations[rank.rank()])
                .toList();
        // No rank can advance the epoch then.
        boolean isHeld = there.stream().flatMap(rank -> rank.tokens().stream()).anyMatch(TokenState::blocks);
        List<Request> requests = new ArrayList<>();
        for (EpochSnapshot.Rank rank : there) {
            if (rank.rank() != self.rank() && bytes(rank, segment) > 0
                    && !(isHeld && wasInVain(rank, snapshot.epoch()))) {
                request(rank, snapshot.epoch(), requests);
            }
        }
        return !requests.isEmpty() && await(requests, meanwhile);
    }

    /** Returns true if the rank has freed nothing when it was asked in that epoch. */
    private boolean wasInVain(EpochSnapshot.Rank rank, long epoch) {
        Request last = inVain.get(rank.rank());
        return last != null && last.incarnation == rank.incarnation() && last.epoch == epoch;
    }

    private static long bytes(EpochSnapshot.Rank rank, int segment) {
        return rank.limbo()
                .stream()
                .flatMap(limbo -> limbo.owned().stream())
                .filter(owned -> owned.rank() == segment)
                .mapToLong(EpochSnapshot.Owned::bytes)
                .sum();
    }

    private void request(EpochSnapshot.Rank rank, long epoch, List<Request> requests) {
        try {
            if (hasAnswered(rank)) {
                // (2)
                EpochParts present = parts.get();
                long word = present.blocks()[rank.rank()] + EpochBlock.ASKED;
                long number = present.self().endpoint().getAndAdd(rank.rank(), word, 1) + 1;
                requests.add(new Request(rank.rank(), rank.incarnation(), number, rank.freed(), epoch));
            }
        } catch (FabricException gone) {
            LOG.debug("a rank cannot be asked to free: rank={}", rank.rank(), gone);
        }
    }

    private boolean hasAnswered(EpochSnapshot.Rank rank) {
        Request last = unanswered.get(rank.rank());
        return last == null || last.incarnation != rank.incarnation() || isServed(last);
    }

    private boolean await(List<Request> requests, Runnable meanwhile) {
        var backoff = new Backoff(self.endpoint().clock(), patience);
        boolean isInTime = true;
        boolean isFreed = false;
        while (!requests.isEmpty() && !isFreed && isInTime) {
            isInTime = backoff.pause();
            meanwhile.run();
            isFreed = removeEnded(requests);
        }
        if (!isInTime) {
            requests.forEach(request -> unanswered.set(request.rank, request));
        }
        return isFreed;
    }

    /** Removes requests that are served, or will not be. Returns true if one of them has freed anything. */
    private boolean removeEnded(List<Request> requests) {
        int[] incarnations = self.incarnations();
        boolean isFreed = false;
        for (Request request : List.copyOf(requests)) {
            try {
                if (isServed(request)) {
                    requests.remove(request);
                    isFreed |= hasFreed(request);
                } else if (incarnations[request.rank] != request.incarnation) {
                    requests.remove(request);
                }
            } catch (FabricException gone) {
                LOG.debug("a rank that was asked to free is gone: {}", request, gone);
                requests.remove(request);
            }
        }
        return isFreed;
    }

    /** (6) */
    private boolean isServed(Request request) {
        return word(request, EpochBlock.SERVED) >= request.number;
    }

    private boolean hasFreed(Request served) {
        boolean isFreed = word(served, EpochBlock.FREED) != served.freed;
        inVain.set(served.rank, isFreed ? null : served);
        return isFreed;
    }

    private long word(Request request, long word) {
        EpochParts present = parts.get();
        return present.self().endpoint().readWord(request.rank, present.blocks()[request.rank] + word);
    }
}
