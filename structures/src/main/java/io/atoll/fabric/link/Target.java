package io.atoll.fabric.link;

import java.net.InetSocketAddress;

/** Where an incarnation of a rank listens. */
public record Target(int rank, int incarnation, InetSocketAddress address) {}
