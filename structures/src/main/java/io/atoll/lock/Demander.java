package io.atoll.lock;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Demands of another rank that it ends a hold of one of its threads, see {@link io.atoll.lock.Demands}. In a process one thread at a time: the mailbox belongs to its rank.
 */
public class Demander {

    private static final AtomicLong DEMANDS = new AtomicLong();

    private static final Logger LOG = LoggerFactory.getLogger(Demander.class);

    private final Endpoint endpoint;
    private final int incarnation;

    /** @param incarnation of the rank that demands */
    public Demander(Endpoint endpoint, int incarnation) {
        this.endpoint = endpoint;
        this.incarnation = incarnation;
    }

    /**
     * Demands it, and waits for the answer. Cost: R + 4W in two round trips, and R for each look at the answer, longer and longer apart; W and R more if it does not come.
     *
     * @param holder whose thread holds the lock
     * @param demands where those begin in the holder's segment
     * @param lock a {@link io.atoll.lock.Descriptor#lock}
     * @param token of the lock's line
     */
    public ForcedUnlock demand(int holder, long demands, long lock, long token, Duration patience) {
        long demand = demands + endpoint.rank() * Demand.SIZE;
        try {
            settle(holder, demand);
            long asked = Demand.asked(incarnation, DEMANDS.incrementAndGet());
            ask(holder, demand, asked, lock, token);
            ForcedUnlock outcome = await(holder, demand, asked, patience);
            if (outcome == ForcedUnlock.HOLDER_SILENT) {
                takeBack(holder, demand);
                outcome = outcome(asked, answer(holder, demand));
            }
            return outcome;
        } catch (FabricException away) {
            LOG.debug("a hold cannot be ended, its rank is not reached: rank={}", holder, away);
            return ForcedUnlock.HOLDER_SILENT;
        }
    }

    /** What was left of a demand before, over a connection that broke, has arrived or never will: that one has been replaced. */
    private void settle(int holder, long demand) {
        endpoint.readWord(holder, demand + Demand.ASKED);
    }

    private void ask(int holder, long demand, long asked, long lock, long token) {
        Batch batch = endpoint.batch(holder);
        // (5) In the order of the batch: whoever sees the number sees its lock and token, and nobody takes them for those of the number before.
        takeBack(batch, holder, demand);
        batch.writeWord(holder, demand + Demand.LOCK, lock);
        batch.writeWord(holder, demand + Demand.TOKEN, token);
        batch.writeWord(holder, demand + Demand.ASKED, asked);
        batch.complete();
    }

    /** Nothing is asked any more. */
    protected void takeBack(Batch batch, int holder, long demand) {
        batch.writeWord(holder, demand + Demand.ASKED, Demand.NOTHING);
    }

    private void takeBack(int holder, long demand) {
        Batch batch = endpoint.batch(holder);
        takeBack(batch, holder, demand);
        batch.complete();
    }

    private ForcedUnlock await(int holder, long demand, long asked, Duration patience) {
        var backoff = new Backoff(endpoint.clock(), patience);
        ForcedUnlock outcome = outcome(asked, answer(holder, demand));
        while (outcome == ForcedUnlock.HOLDER_SILENT && backoff.pause()) {
            outcome = outcome(asked, answer(holder, demand));
        }
        return outcome;
    }

    private long answer(int holder, long demand) {
        // (9) acquire: pairs with the holder's answer, behind the end of the hold.
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
