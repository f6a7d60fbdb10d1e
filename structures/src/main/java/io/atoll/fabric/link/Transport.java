package io.atoll.fabric.link;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Connections;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

/**
 * A transport, as an {@linkplain LinkedAttachment attachment} has opened it.
 *
 * @param name the name by which its addresses are told apart from those of other transports
 * @param fabric the first fabric; when a rank loses its segment, another fabric replaces it
 * @param accessControl of other ranks to the segment of this one
 * @param peerProbe asks ranks whether they are there
 * @param host where other ranks reach this one
 * @param here where ranks of this host reach this one
 * @param alarm is raised when a connection breaks, if the transport notices that
 * @param threads the threads of the transport
 * @param connections returns the state of its connections
 */
public record Transport(String name, LinkedFabric fabric, AccessControl<?> accessControl, PeerProbe peerProbe,
        String host,
        InetSocketAddress here, Alarm alarm, List<BackgroundThread> threads, Supplier<Connections> connections) {}
