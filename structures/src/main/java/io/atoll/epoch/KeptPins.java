package io.atoll.epoch;

import io.atoll.fabric.LateVerbs;
import io.atoll.failure.FabricException;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Liveness;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pins of this rank that outlast their operations. An operation that fails because a connection broke may still change
 * memory: its verbs arrive late. To unpin would tell all ranks that it is over. So while changes of this process may be
 * {@linkplain LateVerbs late}, an unpin only marks the announcement as {@linkplain Announcement#kept kept}.
 *
 * <p>Happens-before:
 * <ol>
 * <li>a connection counts its late changes, and then the operation is told of the failure, and then it unpins: so it
 * sees them;
 * <li>{@link #withdraw} loads an announcement, and then finds that nothing is late: so all is over that was late when
 * the announcement was kept;
 * <li>a token is kept, and then notes that; {@link #withdraw} takes the note, and then looks at all tokens. So one look
 * comes after each token that is kept.
 * </ol>
 * Nobody has to be told that nothing is late any more: a tick looks as long as a pin is kept.
 */
final class KeptPins {

    private static final Logger LOG = LoggerFactory.getLogger(KeptPins.class);

    private final RankEpochs rankEpochs;
    private final LocalMemory memory;
    private final LateVerbs lateVerbs;
    private final AtomicBoolean mayBeKept = new AtomicBoolean();

    KeptPins(RankEpochs rankEpochs, LateVerbs lateVerbs) {
        this.rankEpochs = rankEpochs;
        this.memory = rankEpochs.memory();
        this.lateVerbs = lateVerbs;
    }

    /** Returns true if an unpin keeps the announcement. No verb. */
    boolean areDue() {
        return lateVerbs.areAny(); // (1)
    }

    /** Notes that a token has kept its announcement. */
    void note() {
        mayBeKept.set(true); // (3)
    }

    /** Returns true if a pin may be kept. No verb. */
    boolean areAny() {
        return mayBeKept.get();
    }

    /**
     * Goes on as far as it can without the ranks where changes may arrive late. Connects to them anew, which ends what
     * is late. Then ends all pins that need not be kept any more. May wait for connections.
     */
    void settle() {
        lateVerbs.connections()
                .stream()
                .collect(Collectors.groupingBy(LateVerbs.Connection::rank))
                .forEach(this::reach);
        withdraw();
    }

    /** Asks once for all connections to the rank: the answer may take long. */
    private void reach(int rank, List<LateVerbs.Connection> late) {
        memory.setRelease(rankEpochs.block() + EpochBlock.AWAITED, rank + 1L);
        if (!answers(rank) && isGone(rank)) {
            late.forEach(LateVerbs.Connection::end);
        }
    }

    /** Reads a word of the rank, for which all broken connections are replaced first. */
    private boolean answers(int rank) {
        try {
            EpochParts parts = rankEpochs.epochParts();
            parts.self().endpoint().fabric().readWord(rank, parts.blocks()[rank] + EpochBlock.CACHED_EPOCH);
            return true;
        } catch (FabricException notYet) {
            LOG.debug("a change may still arrive at the rank, and pins are kept: rank={} {}", rank, rankEpochs, notYet);
            return false;
        }
    }

    /** Returns true if every segment has shut out the processes that have been the rank: nobody uses its memory. */
    private boolean isGone(int rank) {
        try {
            return rankEpochs.epoch().isFenced(rank, Liveness.EVERY_INCARNATION);
        } catch (FabricException notYet) {
            LOG.debug("an owner cannot tell whether the rank is shut out: rank={} {}", rank, rankEpochs, notYet);
            return false;
        }
    }

    private void withdraw() {
        mayBeKept.getAndSet(false); // (3) before the tokens are looked at
        boolean areLeft = false;
        for (int index = 0; index < rankEpochs.settings().tokens(); index++) {
            long place = rankEpochs.block() + EpochBlock.token(index) + EpochBlock.ANNOUNCEMENT;
            long word = memory.getVolatile(place); // (2) before the look at what is late
            if (Announcement.isKept(word)) {
                boolean isNeeded = areDue();
                areLeft |= isNeeded;
                if (!isNeeded) {
                    // If it fails, the token is pinned again, and its next unpin decides.
                    memory.compareAndExchange(place, word, Announcement.UNPINNED);
                }
            }
        }
        if (areLeft) {
            note();
        } else {
            memory.setRelease(rankEpochs.block() + EpochBlock.AWAITED, 0);
        }
    }
}
