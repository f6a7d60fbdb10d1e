package io.atoll.fabric.link;

import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.WorldIdentity;
import java.net.InetSocketAddress;
import java.time.Duration;

/**
 * Makes lanes to other ranks, in the name of this rank. A transport implements it.
 *
 * @param <L> its lanes
 */
public interface LaneConnector<L extends Lane> {

    WorldIdentity world();

    /** Returns this rank. */
    int rank();

    /** Returns how long an attempt to connect may take if the process may have just been started. */
    Duration timeout();

    /** Returns how long an attempt to connect may take if the process has answered before. At most {@link #timeout}. */
    Duration timeoutAnew();

    /**
     * Returns a lane, as soon as the rank has let this rank in.
     *
     * @param lane the number of the connection between the two ranks
     * @param connectDeadline how long the operation waits
     * @throws RankUnreachableException if the rank is not there, or refuses this process. Its cause is a {@link
     * java.net.SocketTimeoutException} if the rank does not answer in time
     * @throws LayoutMismatchException if the rank's segment is not of this world
     */
    L connect(PeerAddress peerAddress, int lane, ConnectDeadline connectDeadline, String verb, long offset);

    /** Returns true if a rank that answers has proved its identity, by a secret or by a certificate. */
    boolean asksForProofs();

    /**
     * Asks a rank which incarnation it is, and which segment it has, without being let in.
     *
     * @param address the rank's address; its name is resolved again
     * @param timeout the time in which the rank has to answer
     * @throws RankUnreachableException if the rank is not there
     * @throws LayoutMismatchException if the rank's segment is not of this world
     */
    RefusalDetails ask(int other, InetSocketAddress address, Duration timeout);
}
