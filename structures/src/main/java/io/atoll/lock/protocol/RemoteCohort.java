package io.atoll.lock.protocol;

import io.atoll.fabric.Batch;
import java.util.function.LongPredicate;

/** Those who reach the lock through the fabric. */
class RemoteCohort extends Cohort {

    RemoteCohort(Descriptors descriptors, int budget) {
        super(descriptors, budget);
    }

    @Override
    final long exchangeTail(Request request, long expected, long value) {
        long tail = request.line + LockLine.REMOTE_TAIL;
        return request.owner == endpoint.rank()
                ? endpoint.fabric().compareAndExchange(request.owner, tail, expected, value)
                : endpoint.compareAndExchange(request.owner, tail, expected, value);
    }

    @Override
    final long tail(Request request) {
        long tail = request.line + LockLine.REMOTE_TAIL;
        return request.owner == endpoint.rank()
                ? endpoint.fabric().readWord(request.owner, tail)
                : endpoint.readWord(request.owner, tail);
    }

    /** What goes through the fabric, to the own segment as well. */
    final Batch batch(Request request) {
        return request.owner == endpoint.rank() ? endpoint.fabric().batch() : endpoint.batch(request.owner);
    }

    @Override
    final boolean yield(Request request) {
        Batch batch = batch(request);
        writeVictim(batch, request);
        // (1) behind the victim, in the order of the batch: pairs with the other leader's fence between its victim and its look (2).
        return look(request, batch);
    }

    void writeVictim(Batch batch, Request request) {
        batch.writeWord(request.owner, request.line + LockLine.VICTIM, LockLine.REMOTE);
    }

    @Override
    final boolean look(Request request) {
        return look(request, batch(request));
    }

    /** Who is there first, the token then: it was written before its holder left. */
    private boolean look(Request request, Batch batch) {
        int owner = request.owner;
        if (endpoint.guarantees().atomicReadBytes() >= LockLine.SIZE) {
            batch.read(owner, request.line, at(0), LockLine.SIZE);
        } else {
            batch.read(owner, request.line, at(0), LockLine.TOKEN);
            if (!endpoint.guarantees().readsInOrder()) {
                batch.complete();
            }
            batch.read(owner, request.line + LockLine.TOKEN, at(LockLine.TOKEN), LockLine.SIZE - LockLine.TOKEN);
        }
        batch.complete();
        request.other = batch.word(at(LockLine.LOCAL_TAIL));
        boolean ended = request.other != Tail.FREE && request.other == request.ended;
        if (!ended && !mayEnter(request.other, batch.word(at(LockLine.VICTIM)))) {
            return false;
        }
        long died = batch.word(at(LockLine.RECOVERIES)) + batch.word(at(LockLine.RESTARTS));
        takeToken(request, batch.word(at(LockLine.TOKEN)), died, batch.word(at(LockLine.ACKNOWLEDGED)));
        if (ended) {
            request.recovered = true;
            request.token++;
        }
        return true;
    }

    boolean mayEnter(long otherTail, long victim) {
        return otherTail == Tail.FREE || victim != LockLine.REMOTE;
    }

    /** The owner may have been started again: what its former threads have left there holds nothing. */
    final void doubtOther(Request request, LongPredicate hasEnded) {
        if (hasEnded.test(request.other)) {
            request.ended = request.other;
        }
    }

    @Override
    final long release(Request request) {
        Batch batch = batch(request);
        if (request.entered) {
            batch.writeWord(request.owner, request.line + LockLine.TOKEN, request.token);
            if (request.recovered) {
                batch.writeWord(request.owner, request.line + LockLine.ACKNOWLEDGED, request.died);
            }
        }
        int result = batch.compareAndExchange(request.owner, request.line + LockLine.REMOTE_TAIL, request.self,
                Tail.FREE);
        batch.complete();
        return batch.result(result);
    }
}
