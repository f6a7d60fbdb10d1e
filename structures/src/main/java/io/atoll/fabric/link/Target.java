package io.atoll.fabric.link;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Where an incarnation of a rank listens.
 *
 * @param born the incarnation in which its segment was made: the owner lets nobody in who expects another; 0 for any
 */
public record Target(int rank, int incarnation, int born, InetSocketAddress address) {

    /** With whatever segment. */
    public Target(int rank, int incarnation, InetSocketAddress address) {
        this(rank, incarnation, Greeting.ANY_SEGMENT, address);
    }

    /** Returns whether both are one process, whichever way its address was learnt. */
    boolean isSameProcess(@Nullable Target other) {
        return other != null && rank == other.rank && incarnation == other.incarnation;
    }

    /** Returns the name that was given, and for which address it stood. */
    public String describe(InetSocketAddress resolved) {
        String name = address.getHostString();
        String found = resolved.getAddress().getHostAddress();
        return (name.equals(found) ? name : name + "/" + found) + ":" + resolved.getPort();
    }
}
