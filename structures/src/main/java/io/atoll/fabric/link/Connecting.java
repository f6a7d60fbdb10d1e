package io.atoll.fabric.link;

import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.WorldIdentity;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * Makes lanes to other ranks, in the name of this one. What a transport provides.
 *
 * @param <L> its lanes
 */
public interface Connecting<L extends Lane> {

    WorldIdentity world();

    /** Returns this rank. */
    int rank();

    /** Returns how long an attempt to connect takes at most to a process that may have just been started. */
    Duration timeout();

    /** Returns the same to a process that has answered before. It is not longer. */
    Duration timeoutAnew();

    /**
     * Returns when the rank has let this one in, or not.
     *
     * @param lane which of the connections between the two
     * @param patience that the operation has
     * @throws RankUnreachableException when it is not there, or will have none of this process; by a
     * {@link java.net.SocketTimeoutException} where it does not answer in time
     * @throws LayoutMismatchException when its segment is not of this world
     */
    L connect(Target target, int lane, Patience patience, String verb, long offset);

    /** Returns whether a rank that answers has proved that it is one, by a secret or by a certificate. */
    boolean asksForProofs();

    /**
     * Asks a rank which incarnation it is, and with which segment, without being let in.
     *
     * @param address whose name is resolved anew
     * @param timeout in which it has to answer
     * @throws RankUnreachableException when it is not there
     * @throws LayoutMismatchException when its segment is not of this world
     */
    Told ask(int other, InetSocketAddress address, Duration timeout);
}
