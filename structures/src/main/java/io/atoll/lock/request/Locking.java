package io.atoll.lock.request;

/** How ranks agree on who holds a lock. Any thread may use it. */
public interface Locking {

    /**
     * A request for a lock, which {@link #acquire} has to be called with.
     *
     * @param index of the lock in its table
     * @param line where it lies in its owner's segment
     * @throws IllegalStateException when this rank has no descriptor left
     */
    Request request(long index, int owner, long line);

    /**
     * Whether the request has the lock. If not, or if it throws, it is over, and what others rely on is seen to.
     *
     * @throws io.atoll.failure.FabricException when the owner is not there
     */
    boolean acquire(Request request, Patience patience);

    /** Once for each request that has the lock. Never fails: what cannot be done at once is done as soon as it can. */
    void release(Request request);

    /**
     * Before it is released by force: whoever has the lock next is told that it may have been left half-done, as after a death.
     *
     * @throws io.atoll.failure.FabricException when the owner is not there
     */
    void revoke(Request request);

    /** Frees what a former incarnation of this rank held of a lock of its own. Before anybody uses it. */
    void restart(long line);
}
