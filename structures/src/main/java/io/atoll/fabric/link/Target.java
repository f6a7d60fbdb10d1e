package io.atoll.fabric.link;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Where an incarnation of a rank listens. */
public record Target(int rank, int incarnation, InetSocketAddress address) {

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
