package io.atoll.fabric.link;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Resolves names to their present addresses. */
@FunctionalInterface
interface NameService {

    /** The name service of this host. */
    NameService SYSTEM = name -> List.of(InetAddress.getAllByName(name));

    /** Returns all addresses of a name, at least one. */
    List<InetAddress> addresses(String name) throws UnknownHostException;
}
