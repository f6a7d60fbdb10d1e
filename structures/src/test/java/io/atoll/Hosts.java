package io.atoll;

import io.atoll.fabric.FabricType;
import io.atoll.fabric.link.Secret;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.world.Membership;
import io.atoll.world.hazelcast.FreePorts;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where the ranks of a test run, and how they reach each other. All of them run in the test's process. */
interface Hosts {

    /** Returns the folder of the rank's segment. */
    Path folder(int rank);

    FabricType fabric(int rank);

    Membership membership();

    /** Returns true if ranks share the memory of a host. */
    boolean areMapped();

    /** One host for all ranks. */
    static Hosts one(Path folder) {
        return new Hosts() {

            @Override
            public Path folder(int rank) {
                return folder;
            }

            @Override
            public FabricType fabric(int rank) {
                return Fabrics.sharedMemory(folder, true);
            }

            @Override
            public Membership membership() {
                return Membership.ofOneHost();
            }

            @Override
            public boolean areMapped() {
                return true;
            }
        };
    }

    /** Ranks as on hosts of their own, whose addresses are listed. */
    static Listed listed(Path folder, int size) {
        return new Listed(folder, size);
    }

    /** Ranks as on hosts of their own, which only a membership knows. Each process has another address. */
    static Hosts ofMembers(Path folder) {
        OpenRoster roster = new OpenRoster();
        return new Apart(folder) {

            @Override
            public FabricType fabric(int rank) {
                return new Tcp(ownHost(rank)).security(Security.none());
            }

            @Override
            public Membership membership() {
                return roster.membership();
            }
        };
    }

    /** Each rank has a folder of its own, so no other rank finds its segment there. */
    abstract class Apart implements Hosts {

        private final Path hosts;

        Apart(Path hosts) {
            this.hosts = hosts;
        }

        @Override
        public final Path folder(int rank) {
            return hosts.resolve("host-" + rank);
        }

        final FabricType ownHost(int rank) {
            return Fabrics.sharedMemory(folder(rank), true);
        }

        @Override
        public final boolean areMapped() {
            return false;
        }
    }

    /** Hosts with a list of addresses. A test may change the list before a rank begins. */
    final class Listed extends Apart {

        private static final Security SECRET = Security
                .secret(Secret.of("a secret that the ranks of this world know"));

        private final List<InetSocketAddress> addresses = new ArrayList<>();

        private Listed(Path folder, int size) {
            super(folder);
            while (addresses.size() < size) {
                addresses.add(free());
            }
        }

        /** Returns an address without a listener. */
        static InetSocketAddress free() {
            return new InetSocketAddress("localhost", FreePorts.range(1));
        }

        List<InetSocketAddress> addresses() {
            return addresses;
        }

        @Override
        public FabricType fabric(int rank) {
            return new Tcp(ownHost(rank)).security(SECRET).at(addresses);
        }

        @Override
        public Membership membership() {
            return Membership.ofOneHost();
        }
    }
}
