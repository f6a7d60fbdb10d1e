package io.atoll.fabric.sim;

/** What a thread can wait for without taking steps. */
interface Awaitable {

    boolean isDone();
}
