package io.atoll.fabric.link;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The address at which an incarnation of a rank listens.
 *
 * @param born the incarnation in which its segment was made: the owner refuses a requester that expects another; 0 for
 * any
 */
public record PeerAddress(int rank, int incarnation, int born, InetSocketAddress address) {

    /** Creates an address that fits any segment of the rank. */
    public PeerAddress(int rank, int incarnation, InetSocketAddress address) {
        this(rank, incarnation, Handshake.ANY_SEGMENT, address);
    }

    /** Returns true if both are the same process, even if their addresses were learnt in different ways. */
    boolean isSameProcess(@Nullable PeerAddress other) {
        return other != null && rank == other.rank && incarnation == other.incarnation;
    }

    /** Returns the name that was given, with the address that it resolved to. */
    public String describe(InetSocketAddress resolved) {
        String name = address.getHostString();
        String found = resolved.getAddress().getHostAddress();
        return (name.equals(found) ? name : name + "/" + found) + ":" + resolved.getPort();
    }
}
