package io.atoll.fabric.link;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Connections;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

/**
 * A transport as an {@linkplain LinkedAttachment attachment} has opened it.
 *
 * @param name by which its addresses are told apart from those of others
 * @param fabric the first: what ranks lose leads to others
 * @param access of other ranks to the segment of this one
 * @param rollCall asks the ranks of a list
 * @param host where other ranks reach this one
 * @param here where those of this host do
 * @param alarm is raised when a connection breaks, if the transport sees that
 * @param threads that it works by
 * @param connections what is seen of its connections
 */
public record Transport(String name, LinkedFabric fabric, Access<?> access, RollCall rollCall, String host,
        InetSocketAddress here, Alarm alarm, List<BackgroundThread> threads, Supplier<Connections> connections) {}
