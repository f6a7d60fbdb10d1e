package io.atoll.world;

import io.atoll.background.BackgroundThread;
import io.atoll.failure.JoinRefusedException;
import java.util.List;
import java.util.Optional;

/** Finds the processes of a world and says which of them are there. Shares nothing else. */
public interface Membership extends AutoCloseable {

    /**
     * Returns a membership for worlds whose fabric sees its ranks by itself: on one host, or by a list of their
     * addresses.
     */
    static Membership ofOneHost() {
        return new Membership() {

            @Override
            public void join(Member self, Runnable onChange) {
                // Everything that can be known is the fabric's own presence.
            }

            @Override
            public List<Member> members() {
                return List.of();
            }

            @Override
            public Optional<Membership> again() {
                return Optional.of(ofOneHost());
            }

            @Override
            public void close() {
                // Nothing was opened.
            }
        };
    }

    /**
     * Presents this process to the others. Returns when they know it; an implementation says how long that takes at
     * most.
     *
     * @param onChange called, by any thread, whenever {@link #members()} may have changed; must return soon
     * @throws JoinRefusedException if an earlier member claims the rank, or belongs to another world, size or layout
     * version. This process has left again then
     * @throws InterruptedException if the thread is interrupted; this process does not take part then
     */
    void join(Member self, Runnable onChange) throws InterruptedException;

    /**
     * Presents this process again, as a later life of the rank. To the others, the process that had joined has left.
     *
     * @throws JoinRefusedException as {@link #join}
     */
    default void joinAgain(Member self) {
        // A membership that tells the others nothing need not tell this.
    }

    /** Returns true if it also finds processes of other hosts. Those cannot see which ranks are taken on this host. */
    default boolean reachesOtherHosts() {
        return false;
    }

    /** Returns the processes that are there, including this one, the earliest first. */
    List<Member> members();

    /**
     * Returns why this process must not take part any more, if the membership has found so after it had joined. That
     * happens if another process took its rank while it was cut off from the others. This process has left then,
     * {@link #members()} is empty, and {@code onChange} is called. This is final: the process uses the world's memory
     * no more.
     */
    default Optional<JoinRefusedException> refusal() {
        return Optional.empty();
    }

    /**
     * Returns another membership like this one, not joined yet. With it a process joins again once this one is closed.
     * Empty if this kind cannot do that: a process that was removed from its world then stays out.
     */
    default Optional<Membership> again() {
        return Optional.empty();
    }

    /** Returns the threads of this membership. */
    default List<BackgroundThread> background() {
        return List.of();
    }

    @Override
    void close();
}
