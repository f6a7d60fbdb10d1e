package io.atoll.epoch;

import io.atoll.world.Participant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a process that lives goes on after another rank has come back without its segment: whatever it has retired there
 * before must not be freed in the segment that the rank has now, and whoever is pinned there now must count.
 * <pre>
 *   loss seen -> (1) hold -> first grace -> (2) reach -> second grace -> (3) forget
 * </pre>
 * (1) From now on nothing of that rank is freed. It is known which tokens of this rank are pinned. No thread reaches the
 * lost segment any more, so one that is pinned later finds nothing in it.
 * <br>(2) All those have been unpinned: what is retired from now on is of the present segment. The rank's new block is
 * known. Until then the rank could not be scanned, so the epoch has not advanced since the rank is back.
 * <br>(3) All who were pinned at (2) have been unpinned: a bag that was filled before is in limbo, or its token looks
 * through it before it adds to it or seals it ({@link WorldToken}). What is in limbo of that rank is forgotten, and
 * what is in bags that wait for their tokens: else the next incarnation would find it there. Then (4) the present segment
 * is noted as met. That takes
 * along what was retired of the present segment between (2) and (3): it counts as lost as well.
 *
 * <p>A later loss waits until this one is done. Used by who reclaims, one thread of this rank at a time; each call takes
 * the steps that can be taken. What a test overrides to break the protocol is not private.
 */
class Renewal {

    private final Reclamation reclamation;
    private volatile List<Integer> lost = List.of(); // what is being forgotten; empty if nothing is; looked at by any thread
    private long[] pinned = {}; // the tokens that were at the beginning of the grace, by what they had announced
    private @Nullable Participant next; // as whom the ranks will be reached; null in the second grace

    Renewal(Reclamation reclamation) {
        this.reclamation = reclamation;
    }

    /** Whether there are steps to take. By any thread. */
    final boolean isDue() {
        Participant present = reclamation.self();
        return !lost.isEmpty() || present.latest() != present;
    }

    /** @throws io.atoll.failure.FabricException when the rank is away again, or the home of the epoch; to be called again */
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
        Participant present = reclamation.self();
        Participant latest = present.latest();
        if (lost.isEmpty() && latest != present) {
            // (1)
            lost = latest.lostSince(present);
            lost.forEach(reclamation.limbo()::hold);
            next = latest;
            pinned = reclamation.announcements();
        }
    }

    /** Whether each token that was pinned has been unpinned since. */
    boolean isGraceOver() {
        long[] now = reclamation.announcements();
        for (int index = 0; index < now.length; index++) {
            if (Announcement.isPinned(pinned[index]) && pinned[index] == now[index]) {
                return false;
            }
        }
        return true;
    }

    private void reach(Participant reaching) {
        long[] blocks = reclamation.parts().blocks().clone();
        for (int rank : lost) {
            blocks[rank] = reclamation.blockIn(reaching, rank);
        }
        // (2)
        reclamation.reach(new Parts(reaching, blocks), lost);
        next = null;
        pinned = reclamation.announcements();
    }

    private void forget() {
        if (lost.contains(EpochBlock.HOME)) {
            reclamation.limbo().sealAnew(reclamation.followHome());
        }
        for (int rank : lost) {
            // (3)
            reclamation.limbo().forgetHeld(rank, reclamation.filling());
            // (4) behind (3): the next incarnation takes what it finds then for what is there.
            reclamation.identities().meet(rank);
            reclamation.limbo().release(rank);
        }
        lost = List.of();
    }
}
