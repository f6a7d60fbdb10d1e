package io.atoll.queue;

import io.atoll.promise.Use;

/** What users do with a queue, and promise that others do not (BCL, table 4). */
enum QueueUse implements Use {

    PUSH(QueueUse.PUSHES, QueueUse.ANYTHING), PUSH_WHILE_ALL_ONLY_PUSH(QueueUse.PUSHES, QueueUse.PUSHES), POP(
            QueueUse.POPS, QueueUse.ANYTHING), POP_WHILE_ALL_ONLY_POP(QueueUse.POPS, QueueUse.POPS), LOCAL(
                    QueueUse.OF_ONE_THREAD, QueueUse.OF_ONE_THREAD);

    private static final int PUSHES = 1;
    private static final int POPS = 2;
    private static final int ANYTHING = PUSHES | POPS;
    private static final int OF_ONE_THREAD = 4;

    private final int operation;
    private final int allowed;

    QueueUse(int operation, int allowed) {
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
}
