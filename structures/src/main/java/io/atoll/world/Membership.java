package io.atoll.world;

import io.atoll.background.BackgroundThread;
import io.atoll.failure.JoinRefusedException;
import java.util.List;
import java.util.Optional;

/** Finds the processes of a world and says who is there. Shares nothing else. */
public interface Membership extends AutoCloseable {

    /** A membership for worlds whose fabric sees its ranks by itself: on one host, or by a list of their addresses. */
    static Membership ofOneHost() {
        return new Membership() {

            @Override
            public void join(Member self, Runnable onChange) {
                // The fabric's own presence is all there is to know.
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
     * Presents this process to the others. Returns when they know it; how long that takes at most, an implementation says.
     *
     * @param onChange called, by any thread, whenever {@link #members()} may have changed; must return soon
     * @throws JoinRefusedException when an earlier member claims the rank, or belongs to another world, size or layout
     * version; this process has left again then
     * @throws InterruptedException and this process does not take part
     */
    void join(Member self, Runnable onChange) throws InterruptedException;

    /**
     * Presents this process otherwise, as a later life of the rank: to others the one that had joined has left.
     *
     * @throws JoinRefusedException as {@link #join}
     */
    default void joinAgain(Member self) {
        // Who is told nothing need not be told this.
    }

    /** Whether it finds processes of other hosts, too. Those cannot see which ranks are taken on this one. */
    default boolean reachesOtherHosts() {
        return false;
    }

    /** Who is there, this process included, the earliest first. */
    List<Member> members();

    /**
     * Why this process must not take part any more, if it has found so after it had joined: while it was cut off from the others, another process took its
     * rank. It has left then, and {@link #members()} is empty. {@code onChange} is called. Final: such a process uses the world's memory no more.
     */
    default Optional<JoinRefusedException> refusal() {
        return Optional.empty();
    }

    /**
     * Another one like this, which was not joined yet: by it a process joins again once this one is closed. None if
     * this kind cannot: a process that was removed from its world stays out then.
     */
    default Optional<Membership> again() {
        return Optional.empty();
    }

    /** The threads that it works by. */
    default List<BackgroundThread> background() {
        return List.of();
    }

    @Override
    void close();
}
