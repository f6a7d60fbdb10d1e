package io.atoll.lock;

import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.memory.LocalMemory;
import java.time.Duration;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Demands of other ranks that this process end holds of its threads by force. Each rank has a mailbox for that in this
 * process's segment, see {@link Demand}:
 * <pre>
 *     demanding rank                                     this process
 *
 *     asked := nothing, lock, token, asked := n  (5)
 *                                                        tick: finds n not answered, hands it to the background thread
 *                                                        lock, token, asked again: n still  (6)
 *                                                        the hold by which a thread has the lock: of that token?
 *                                                        releases it, as its holder would (leave)
 *                                                        answer := n, outcome  (9)
 *     reads the answer until it is that of n  (9)
 *     asked := nothing, if its wait limit is over
 * </pre>
 * <ul>
 * <li>(5) The demander writes one batch, in this order. So a reader that sees n sees its lock and token.
 * <li>(6) acquire, each before the next: a later demand of the same rank first takes n back. So lock and token are
 * those of n, or n is not read again.
 * <li>(9) release, after the end of the hold: pairs with the read of the answer. A thread that reads that it is done
 * may acquire the lock.
 * </ul>
 * The hold ends once: one exchange decides between all threads that release it ({@link Hold#releases}). The token is
 * that of the hold which that exchange names. If the lock cannot be reached, the demand is tried again until its
 * demander takes it back.
 */
class Demands {

    private static final long NOT_YET = 0;

    private static final Logger LOG = LoggerFactory.getLogger(Demands.class);

    private final Descriptors descriptors;
    private final LongFunction<@Nullable Hold> held;
    private final int demanding;
    private final LocalMemory own;

    /** @param held returns the hold by which a thread of this process has the lock of an index */
    public Demands(Descriptors descriptors, LongFunction<@Nullable Hold> held) {
        this.descriptors = descriptors;
        this.held = held;
        this.demanding = descriptors.participant().maxSize();
        this.own = descriptors.own();
    }

    /** Returns true if a rank waits for the answer to a demand. No verb; a look at the mailbox of each rank. */
    public boolean areAny() {
        for (int rank = 0; rank < demanding; rank++) {
            if (isOpen(own.getAcquire(descriptors.demand(rank) + Demand.ASKED), rank)) {
                return true;
            }
        }
        return false;
    }

    private boolean isOpen(long asked, int rank) {
        return asked != Demand.NOTHING
                && !Demand.isAnswered(asked, own.getAcquire(descriptors.demand(rank) + Demand.ANSWER));
    }

    /** Meets all demands as far as possible now, and returns true if all are met. Called by one thread at a time. */
    public boolean meet() {
        boolean met = true;
        for (int rank = 0; rank < demanding; rank++) {
            long asked = own.getAcquire(descriptors.demand(rank) + Demand.ASKED);
            if (isOpen(asked, rank)) {
                met &= meets(rank, asked);
            }
        }
        return met;
    }

    private boolean meets(int rank, long asked) {
        long demand = descriptors.demand(rank);
        long lock = own.getAcquire(demand + Demand.LOCK);
        long token = own.getAcquire(demand + Demand.TOKEN);
        if (!isStill(demand, asked)) {
            return false; // (6) lock and token may be those of another demand
        }
        long outcome = outcome(lock, token);
        if (outcome == NOT_YET) {
            return false;
        }
        own.setRelease(demand + Demand.ANSWER, Demand.answer(asked, outcome)); // (9)
        LOG.info("a rank demanded to end a hold by force: by={} lock={} token={} outcome={}", rank,
                Descriptor.index(lock), token, outcome);
        return true;
    }

    /** Returns true if this call, and not the holder, has ended the hold. */
    protected boolean ends(Hold hold) {
        return hold.revoke(Duration.ZERO);
    }

    /** (6) Returns true if the mailbox still asks this. */
    protected boolean isStill(long demand, long asked) {
        return own.getAcquire(demand + Demand.ASKED) == asked;
    }

    private long outcome(long lock, long token) {
        try {
            Hold hold = held.apply(Descriptor.index(lock));
            if (hold == null || hold.lock() != lock) {
                return Demand.NOT_HELD;
            }
            if (!isMeant(hold, token)) {
                return Demand.HOLDER_CHANGED;
            }
            // NOT_YET: the holder has released it meanwhile. The next step sees the present holder.
            return ends(hold) ? Demand.DONE : NOT_YET;
        } catch (FencedException over) {
            throw over;
        } catch (FabricException notYet) {
            LOG.debug("a hold cannot be ended yet, will try again: lock={}", Descriptor.index(lock), notYet);
            return NOT_YET;
        }
    }

    /** Returns true if this is the hold that is to end. */
    protected boolean isMeant(Hold hold, long token) {
        return hold.token() == token;
    }
}
