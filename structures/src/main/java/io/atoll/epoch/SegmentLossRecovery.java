package io.atoll.epoch;

import io.atoll.world.Participant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a living process goes on after another rank has come back without its segment. Objects that this process retired
 * there before must not be freed in the rank's present segment. Threads that are pinned there now must count.
 * <pre>
 *   loss seen -> (1) hold -> first grace -> (2) reach -> second grace -> (3) forget
 * </pre>
 * (1) From now on nothing of that rank is freed. The tokens of this rank that are pinned now are remembered. No thread
 * reaches the lost segment any more, so a thread that is pinned later finds nothing in it.
 * <br>(2) All remembered tokens have been unpinned: objects that are retired from now on lie in the present segment.
 * The rank's new block is known. Until then the rank could not be scanned, so the epoch has not advanced since the rank
 * is back.
 * <br>(3) All tokens that were pinned at (2) have been unpinned. So a bag that was filled before is in limbo, or its
 * token looks through it first ({@link WorldToken#forgetLost}). This rank forgets that owner's objects in limbo, and in
 * bags that wait for their tokens: otherwise the next incarnation would find them there. Then (4) it notes the present
 * segment as met. Objects of the present segment that were retired between (2) and (3) are forgotten as well, and count
 * as lost.
 *
 * <p>A later loss waits until this one is done. Used by the thread that reclaims, one thread of this rank at a time.
 * Each call takes the steps that can be taken.
 */
class SegmentLossRecovery {

    private final RankEpochs rankEpochs;
    // ranks whose losses are being handled, empty if none; any thread reads it
    private volatile List<Integer> lost = List.of();
    private long[] pinned = {}; // what each token had announced at the beginning of the grace period
    private @Nullable Participant next; // will reach the ranks; null in the second grace period

    SegmentLossRecovery(RankEpochs rankEpochs) {
        this.rankEpochs = rankEpochs;
    }

    /** Returns true if there are steps to take. Any thread may call it. */
    final boolean isDue() {
        Participant present = rankEpochs.self();
        return !lost.isEmpty() || present.latest() != present;
    }

    /**
     * Takes the steps that can be taken.
     *
     * @throws io.atoll.failure.FabricException if the rank is away again, or the home of the epoch is. The caller then
     * calls this again later
     */
    final void advance() {
        begin();
        Participant reaching = next;
        if (reaching != null && isGraceOver()) {
            reach(reaching);
        }
        if (!lost.isEmpty() && next == null && isGraceOver()) {
            forget();
        }
    }

    private void begin() {
        Participant present = rankEpochs.self();
        Participant latest = present.latest();
        if (lost.isEmpty() && latest != present) {
            // (1)
            lost = latest.lostSince(present);
            lost.forEach(rankEpochs.limbo()::hold);
            next = latest;
            pinned = rankEpochs.announcements();
        }
    }

    /** Returns true if each token that was pinned has been unpinned since. */
    boolean isGraceOver() {
        long[] now = rankEpochs.announcements();
        for (int index = 0; index < now.length; index++) {
            if (Announcement.isPinned(pinned[index]) && pinned[index] == now[index]) {
                return false;
            }
        }
        return true;
    }

    private void reach(Participant reaching) {
        long[] blocks = rankEpochs.epochParts().blocks().clone();
        for (int rank : lost) {
            blocks[rank] = rankEpochs.blockIn(reaching, rank);
        }
        // (2)
        rankEpochs.reach(new EpochParts(reaching, blocks), lost);
        next = null;
        pinned = rankEpochs.announcements();
    }

    private void forget() {
        if (lost.contains(EpochBlock.HOME)) {
            rankEpochs.limbo().sealAnew(rankEpochs.followHome());
        }
        for (int rank : lost) {
            // (3)
            rankEpochs.limbo().forgetHeld(rank, rankEpochs.filling());
            // (4) after (3): the next incarnation relies on everything that it finds then.
            rankEpochs.identities().meet(rank);
            rankEpochs.limbo().release(rank);
        }
        lost = List.of();
    }
}
