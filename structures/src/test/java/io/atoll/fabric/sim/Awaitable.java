package io.atoll.fabric.sim;

/** An event that a thread can wait for without taking steps. */
interface Awaitable {

    boolean isDone();
}
