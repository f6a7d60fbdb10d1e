package io.atoll.world.hazelcast;

import java.util.List;

/** Where a process looks for the others when it starts. */
public sealed interface Discovery {

    /** All processes run on this host: the ports from {@link HazelcastSettings#port()} on are tried. */
    record SameHost() implements Discovery {}

    /**
     * The processes are at known hosts. It is enough if a process that has joined is at one of the addresses.
     *
     * @param addresses {@code host} or {@code host:port}, IPv6 as {@code [::1]:5701}. A host without a port means
     * {@link HazelcastSettings#port()}. A name with several addresses stands for all of them
     */
    record Addresses(List<String> addresses) implements Discovery {

        public Addresses {
            addresses = List.copyOf(addresses);
            if (addresses.isEmpty()) {
                throw new IllegalArgumentException("at least one address is needed: addresses=" + addresses);
            }
            addresses.forEach(Seeds::checkAddress);
        }
    }

    /**
     * The processes listen to a multicast group. Only for networks where no other program uses that group. Slower than
     * an address list: the first process takes some three seconds. Unlike with addresses, processes that start while
     * the network between them is down do not find each other later.
     *
     * @param group such as {@code 224.2.2.3}
     */
    record Multicast(String group, int port) implements Discovery {

        public Multicast {
            Seeds.checkPort(port);
        }
    }

    /**
     * The processes are pods of one StatefulSet, behind a headless service. The service must publish addresses that are
     * not ready: {@code publishNotReadyAddresses: true}. A pod is ready only when it has found the others. The pods
     * need no right to ask the Kubernetes API. Their {@link HazelcastSettings#bindAddress()} must be the pod's address
     * or {@link HazelcastSettings#ALL_INTERFACES}.
     *
     * @param service DNS name of the headless service, such as {@code shop-members.default.svc.cluster.local}
     */
    static Discovery kubernetes(String service) {
        return new Addresses(List.of(service));
    }
}
