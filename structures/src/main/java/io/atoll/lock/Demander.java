package io.atoll.lock;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Demands that another rank end a hold of one of its threads, see {@link Demands}. One thread of a
 * process uses it at a time, because the mailbox belongs to its rank.
 *
 * <p>A mailbox asks for one number at a time. A process may write another number there only if the one before was
 * answered or is no longer asked. So the process holds the word while it writes there, see {@link Reservations#hold}.
 *
 * <p>If a verb has failed, the process cannot know what was written. It then takes the demand back as soon as the
 * holder's rank can be reached. Until then the word stays held. The next demand takes this one back first, or fails.
 */
class Demander {

    private static final AtomicLong DEMANDS = new AtomicLong();

    private static final Logger LOG = LoggerFactory.getLogger(Demander.class);

    private final Endpoint endpoint;
    private final Reservations reservations;
    private final int incarnation;

    /** @param self the rank that demands */
    public Demander(Participant self) {
        this.endpoint = self.endpoint();
        this.reservations = self.reservations();
        this.incarnation = self.incarnation();
    }

    /**
     * Demands the end of a hold, and waits for the answer. Cost: 4W in one round trip, and R for each look at the
     * answer. The looks come at growing intervals. A and R more if no answer comes.
     *
     * @param holder the rank whose thread holds the lock
     * @param demands the offset of the demands in the holder's segment
     * @param lock a {@link Descriptor#lock}
     * @param token the token of the lock's line
     */
    public ForcedUnlock demand(int holder, long demands, long lock, long token, Duration patience) {
        long demand = demands + endpoint.rank() * Demand.SIZE;
        long asked = Demand.asked(incarnation, DEMANDS.incrementAndGet());
        try {
            // (12) The former demand is taken back first. If that is not possible, this throws.
            ask(reservations.hold(holder, demand + Demand.ASKED), holder, demand, asked, lock, token);
            ForcedUnlock outcome = await(holder, demand, asked, patience);
            return outcome == ForcedUnlock.HOLDER_SILENT ? outcome(asked, answer(holder, demand)) : outcome;
        } catch (FabricException away) {
            LOG.debug("a hold cannot be ended, its rank is not reached: rank={}", holder, away);
            return ForcedUnlock.HOLDER_SILENT;
        }
    }

    private void ask(int hold, int holder, long demand, long asked, long lock, long token) {
        boolean isWritten = false;
        try {
            Batch batch = endpoint.batch(holder);
            // (5) The batch writes in this order. So a holder that sees the number sees its lock and token. It never
            // takes them for those of the number before.
            takeBack(batch, holder, demand);
            batch.writeWord(holder, demand + Demand.LOCK, lock);
            batch.writeWord(holder, demand + Demand.TOKEN, token);
            batch.writeWord(holder, demand + Demand.ASKED, asked);
            batch.complete();
            isWritten = true;
            reservations.release(hold);
        } finally {
            if (!isWritten) {
                takeBack(hold, holder, demand, asked);
            }
        }
    }

    /** Writes that nothing is asked any more. */
    protected void takeBack(Batch batch, int holder, long demand) {
        batch.writeWord(holder, demand + Demand.ASKED, Demand.NOTHING);
    }

    /** Waits for the answer. Takes the demand back if no answer has come, whatever has failed. */
    private ForcedUnlock await(int holder, long demand, long asked, Duration patience) {
        var backoff = new Backoff(endpoint.clock(), patience);
        ForcedUnlock outcome = ForcedUnlock.HOLDER_SILENT;
        try {
            do {
                outcome = outcome(asked, answer(holder, demand));
            } while (outcome == ForcedUnlock.HOLDER_SILENT && backoff.pause());
        } finally {
            if (outcome == ForcedUnlock.HOLDER_SILENT) {
                takeBack(reservations.tryHold(holder, demand + Demand.ASKED), holder, demand, asked);
            }
        }
        return outcome;
    }

    /**
     * Takes the demand back now, or as soon as the holder's rank can be reached. It does so by an exchange: a later
     * demand in the same place stays.
     */
    protected void takeBack(int hold, int holder, long demand, long asked) {
        Reservations.Undo exchange = (rank, offset, reserved) -> endpoint.compareAndExchange(rank, offset, reserved,
                Demand.NOTHING) == reserved;
        if (hold == Reservations.NOT_HELD) { // a word that shares the hold has it
            reservations.undo(holder, demand + Demand.ASKED, asked, exchange);
        } else {
            reservations.undo(hold, holder, demand + Demand.ASKED, asked, exchange);
        }
    }

    private long answer(int holder, long demand) {
        // (9) acquire: pairs with the holder's answer, which follows the end of the hold.
        return endpoint.readWord(holder, demand + Demand.ANSWER);
    }

    private static ForcedUnlock outcome(long asked, long answer) {
        if (!Demand.isAnswered(asked, answer)) {
            return ForcedUnlock.HOLDER_SILENT;
        }
        long outcome = Demand.outcome(answer);
        if (outcome == Demand.DONE) {
            return ForcedUnlock.DONE;
        }
        return outcome == Demand.NOT_HELD ? ForcedUnlock.NOT_HELD : ForcedUnlock.HOLDER_CHANGED;
    }
}
