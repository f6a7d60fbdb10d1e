package io.atoll.queue;

import io.atoll.fabric.Batch;
import io.atoll.promise.Promise;
import io.atoll.promise.Use;

/** The ways in which callers use a queue, and what they promise that others do not do (BCL, table 4). */
enum QueuePromises implements Use {

    PUSH(QueuePromises.PUSHES, QueuePromises.ANYTHING), PUSH_WHILE_ALL_ONLY_PUSH(QueuePromises.PUSHES,
            QueuePromises.PUSHES), POP(
                    QueuePromises.POPS, QueuePromises.ANYTHING), POP_WHILE_ALL_ONLY_POP(QueuePromises.POPS,
                            QueuePromises.POPS | QueuePromises.LOOKS), LOOK(QueuePromises.LOOKS,
                                    QueuePromises.ANYTHING), LOCAL(
                                            QueuePromises.OF_ONE_THREAD, QueuePromises.OF_ONE_THREAD);

    private static final int PUSHES = 1;
    private static final int POPS = 2;
    private static final int LOOKS = 4; // looks at elements that stay
    private static final int ANYTHING = PUSHES | POPS | LOOKS;
    private static final int OF_ONE_THREAD = 8;

    private final int operation;
    private final int allowed;

    QueuePromises(int operation, int allowed) {
        this.operation = operation;
        this.allowed = allowed;
    }

    @Override
    public int operation() {
        return operation;
    }

    @Override
    public int allowed() {
        return allowed;
    }

    @Override
    public boolean isOfOneThread() {
        return this == LOCAL;
    }

    /** Returns the queue for a push with this promise. Called before anything is placed in its batch. */
    static RingChainQueue pushing(RingChainQueue queue, Promise.Pushing promise) {
        queue.enter(Use.of(promise, PUSH, PUSH_WHILE_ALL_ONLY_PUSH, LOCAL));
        return queue;
    }

    /** Returns the queue for a pop with this promise. Called before its batch is asked for. */
    static RingChainQueue popping(RingChainQueue queue, Promise.Popping promise) {
        queue.enter(Use.of(promise, POP, POP_WHILE_ALL_ONLY_POP, LOCAL));
        return queue;
    }

    /** Pushes what is placed in the batch in the way that the promise allows. */
    static boolean push(RingChainQueue queue, Batch batch, int count, Promise.Pushing promise) {
        return promise == Promise.local()
                ? queue.pushLocal(batch, count)
                : queue.push(batch, count, promise == Promise.onlyPushes());
    }

    /** Pops into the batch in the way that the promise allows. Returns how many were popped. */
    static int pop(RingChainQueue queue, Batch batch, int most, Promise.Popping promise) {
        return promise == Promise.local()
                ? queue.popLocal(batch, most)
                : queue.pop(batch, most, promise == Promise.onlyPops());
    }
}
