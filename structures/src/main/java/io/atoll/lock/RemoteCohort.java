package io.atoll.lock;

import io.atoll.fabric.Batch;
import java.util.function.LongPredicate;

/** The threads that reach the lock through the fabric. */
class RemoteCohort extends Cohort {

    RemoteCohort(Descriptors descriptors, int budget) {
        super(descriptors, budget);
    }

    @Override
    final boolean isByCpu() {
        return false;
    }

    @Override
    final boolean executesAtOnce(QueuedHold request) {
        return FabricLines.executesAtOnce(request);
    }

    @Override
    long exchangeTail(QueuedHold request, long expected, long value) {
        return FabricLines.compareAndExchange(request, LockLine.REMOTE_TAIL, expected, value);
    }

    @Override
    final long tail(QueuedHold request) {
        return FabricLines.read(request, LockLine.REMOTE_TAIL);
    }

    @Override
    final long acknowledged(QueuedHold request) {
        return FabricLines.read(request, LockLine.ACKNOWLEDGED);
    }

    final Batch batch(QueuedHold request) {
        return FabricLines.batch(request);
    }

    @Override
    boolean yield(QueuedHold request) {
        Batch batch = batch(request);
        writeVictim(batch, request);
        // (1) after the victim, in the order of the batch: pairs with the other leader's fence between its victim and
        // its look (2).
        return look(request, batch);
    }

    void writeVictim(Batch batch, QueuedHold request) {
        batch.writeWord(request.owner(), request.line() + LockLine.VICTIM, LockLine.REMOTE);
    }

    @Override
    boolean look(QueuedHold request) {
        return look(request, batch(request));
    }

    @Override
    long otherTail(QueuedHold request) {
        return FabricLines.read(request, LockLine.LOCAL_TAIL);
    }

    private boolean look(QueuedHold request, Batch batch) {
        FabricLines.addRead(batch, request, at(0));
        batch.complete();
        request.other = batch.word(at(LockLine.LOCAL_TAIL));
        boolean ended = request.other != Tail.FREE && request.other == request.ended;
        if (!ended && !mayEnter(request.other, batch.word(at(LockLine.VICTIM)))) {
            return false;
        }
        long died = batch.word(at(LockLine.RECOVERIES)) + batch.word(at(LockLine.RESTARTS));
        request.takeToken(batch.word(at(LockLine.TOKEN)), died, batch.word(at(LockLine.ACKNOWLEDGED)));
        if (ended) {
            request.recovered = true;
            request.token++;
        }
        return true;
    }

    boolean mayEnter(long otherTail, long victim) {
        return otherTail == Tail.FREE || victim != LockLine.REMOTE;
    }

    /**
     * Checks whether the owner has been started again. Threads of its former process hold nothing, whatever they have
     * left in the tail.
     */
    final void doubtOther(QueuedHold request, LongPredicate hasEnded) {
        if (hasEnded.test(request.other)) {
            request.ended = request.other;
        }
    }

    @Override
    long release(QueuedHold request) {
        Batch batch = batch(request);
        if (request.entered) {
            FabricLines.writeToken(batch, request);
        }
        int result = batch.compareAndExchange(request.owner(), request.line() + LockLine.REMOTE_TAIL, request.self,
                Tail.FREE);
        batch.complete();
        return batch.result(result);
    }
}
