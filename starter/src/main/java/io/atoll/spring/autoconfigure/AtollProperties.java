package io.atoll.spring.autoconfigure;

import io.atoll.collective.Algorithm;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * What this process takes part in.
 *
 * @param enabled Whether the application takes part in a world.
 */
@ConfigurationProperties("atoll")
public record AtollProperties(@DefaultValue("true") boolean enabled, @DefaultValue WorldSettings world,
        @DefaultValue FabricSettings fabric, @DefaultValue SegmentSettings segment,
        @DefaultValue MembershipSettings membership, @DefaultValue EpochProperties epochs,
        @DefaultValue CollectiveProperties collectives, @DefaultValue CodecProperties codec,
        @DefaultValue HistoryProperties history) {

    /**
     * @param enabled Whether this rank keeps its last ten minutes in its segment, about 240 KiB, for the console of any rank.
     */
    public record HistoryProperties(@DefaultValue("true") boolean enabled) {}

    /**
     * @param allowedClasses Classes whose objects may be stored and read, as com.example.Order, or com.example.* for a whole package; numbers, texts, dates and collections always may. They take
     * com.esotericsoftware:kryo.
     */
    public record CodecProperties(@DefaultValue List<String> allowedClasses) {}

    /**
     * @param tokens How many threads of a process can use the epoch manager at the same time; the same at every process.
     * @param reclaimEvery After how many retirements a token tries to reclaim by itself; 0 for never.
     * @param reclaimInterval How often a thread of its own tries to reclaim; 0 for never.
     * @param pinLimit A token that has been pinned for longer is named in health and console.
     */
    public record EpochProperties(@DefaultValue("256") int tokens, @DefaultValue("0") int reclaimEvery,
            @DefaultValue("0s") Duration reclaimInterval, @DefaultValue("10s") Duration pinLimit) {}

    /**
     * @param algorithm By which this process broadcasts. By default the one that should be faster by what sending costs.
     * @param windowSize Memory of a broadcast's window at each member, where it is told no other; the same at every process.
     * @param roomSize What an exchange lays down at once, where it is told no other; the same at every process, at most 32 KiB.
     * @param pollInterval How long the thread that passes broadcasts on sleeps at most between two looks: the longer, the less it takes of a processor, and the longer the first broadcast of a while waits.
     * @param flushInterval How long whoever waits for a broadcast to be complete sleeps at most between two looks, from 0 for never to 1.28 ms; at first it spins.
     * @param costs What sending costs, as 'bench loggp' measures it; the same at every process. By default about what the fabric takes.
     */
    public record CollectiveProperties(@Nullable Algorithm algorithm, @DefaultValue("1MB") DataSize windowSize,
            @DefaultValue("16KB") DataSize roomSize,
            @DefaultValue("200us") Duration pollInterval, @DefaultValue("1ms") Duration flushInterval,
            @Nullable CostProperties costs) {}

    /**
     * The parameters of the model LogGP, in nanoseconds.
     *
     * @param latency L, for which a message is under way.
     * @param overhead o, for which the sender is busy with a message.
     * @param gap g, between two messages of one sender.
     * @param gapPerByte G, between two bytes of one message.
     * @param receiveOverhead o_r, until whoever passes a broadcast on sees it.
     */
    public record CostProperties(double latency, double overhead, double gap, double gapPerByte,
            double receiveOverhead) {}

    /**
     * @param name Name of the world, the same at all its processes. By default 'spring.application.name', else 'atoll'.
     * @param size How many ranks, that is processes, the world is founded with.
     * @param maxSize How many ranks may ever be in it, at most 4096, the same at all its processes. By default 64, or as
     * many as the size.
     * @param rank Which rank this process is, from 0. By default the pod's ordinal, SLURM_PROCID, PMI_RANK, or the first
     * rank that is free on this host.
     * @param joinTimeout How long the first use of a structure waits for missing ranks.
     * @param operationTimeout How long an operation waits for another rank that is in the middle of one, lives, and does
     * not go on.
     * @param rejoin Whether this process joins again by itself when the others have removed it since they did not hear
     * it. Else it stays out until it is started anew.
     */
    public record WorldSettings(@Nullable String name, @DefaultValue("1") int size, @Nullable Integer maxSize,
            @Nullable Integer rank, @DefaultValue("30s") Duration joinTimeout,
            @DefaultValue("10s") Duration operationTimeout, @DefaultValue("true") boolean rejoin) {}

    /**
     * @param type How ranks reach each other's memory.
     * @param delay Time added to every round trip, to the own memory through the fabric too, to show on one host what a network does. For experiments.
     * @param delayNanosPerByte Nanoseconds added for each byte that is moved. For experiments.
     */
    public record FabricSettings(@DefaultValue("shared-memory") String type,
            @DefaultValue("0ns") Duration delay, @DefaultValue("0") double delayNanosPerByte,
            @DefaultValue SharedMemorySettings sharedMemory, @DefaultValue TcpSettings tcp,
            @DefaultValue VerbsSettings verbs) {}

    /**
     * @param folder Where the segments' files lie; must be memory to be fast.
     * @param retain Whether the files outlive the last process, so that a later one finds the data.
     */
    public record SharedMemorySettings(@DefaultValue("/dev/shm") Path folder, @DefaultValue("false") boolean retain) {}

    /**
     * TCP between hosts, shared memory between processes of one host. Segments lie in the folder of shared memory.
     *
     * @param bind Address of this host to listen at, 0.0.0.0 for all. By default the rank's in the list of addresses;
     * without a list localhost. Beyond this host a secret or an SSL bundle is needed.
     * @param port Port at which rank 0 listens; rank r listens r above. By default, and with 0, the rank's in the list of
     * addresses; without a list any.
     * @param host Name or address by which other ranks reach this host, resolved each time they connect. By default the
     * address that it listens at, or the name of this host where it listens at all. A list of addresses says it
     * instead.
     * @param lanes Connections to each rank; a thread uses one of them.
     * @param silenceTimeout A connection on which an answer is due, and nothing arrives for so long, is broken.
     * @param connectTimeout How long a greeting may take, encryption included, at both ends of a new connection. A host
     * that does not answer at all is given up after 2 s, and a rank that was reached before after the silence timeout
     * if that is shorter.
     * @param sameHost Whether ranks of one host reach each other by the memory that they share.
     * @param secret Text that each process proves to know before it is let in, 32 bytes or more, the same at every
     * process. By default none.
     * @param previousSecrets Secrets that are known as well while the secret is changed process by process, at most
     * two.
     * @param encrypt Whether what ranks send is encrypted where they know a secret; the same at every process.
     * @param security Set to 'none' to let anybody in who reaches the port.
     * @param addresses Where others reach each rank (host:port, in the order of ranks), for several hosts without a
     * membership. A rank listens there, too, unless bind or port say otherwise.
     */
    public record TcpSettings(@Nullable String bind, @DefaultValue("0") int port,
            @Nullable String host, @DefaultValue("2") int lanes, @DefaultValue("5s") Duration silenceTimeout,
            @DefaultValue("10s") Duration connectTimeout, @DefaultValue("true") boolean sameHost,
            @Nullable String secret,
            @DefaultValue List<String> previousSecrets, @DefaultValue("true") boolean encrypt,
            @Nullable TcpSecurity security, @DefaultValue TcpCertificates ssl, @DefaultValue List<String> addresses) {

        /** All but the secrets, for messages. */
        @Override
        public String toString() {
            return "bind=" + bind + ", port=" + port + ", host=" + host + ", lanes=" + lanes + ", silence-timeout="
                    + silenceTimeout + ", connect-timeout=" + connectTimeout + ", same-host=" + sameHost + ", encrypt="
                    + encrypt + ", security=" + security
                    + ", ssl=" + ssl + ", addresses=" + addresses;
        }
    }

    /** What stands in the place of a secret or certificates. */
    public enum TcpSecurity {
        /** Anybody who reaches the port is let in, and nothing is encrypted. */
        NONE
    }

    /**
     * @param bundle SSL bundle of this process's certificate and key, and of the authorities that it trusts. When it is
     * reloaded, new connections use its key.
     * @param peers Names, of which each rank's certificate has one as a subject alternative name. A * stands for any
     * characters up to the next dot or slash, at the end of a URI for all that follows, and alone for every name.
     */
    public record TcpCertificates(@Nullable String bundle, @DefaultValue List<String> peers) {}

    /**
     * RDMA: InfiniBand, RoCE or Soft-RoCE. Segments lie in the folder of shared memory and are pinned.
     *
     * @param device Name of the RDMA device as in /sys/class/infiniband, such as mlx5_0. By default the first that has an
     * address.
     * @param devicePort Port of the device, from 1.
     * @param gidIndex Entry of the port's GID table whose address is used. By default the first with an address of IPv4.
     * @param host IP address by which the device is reached, instead of device and GID index.
     * @param port Port of the RDMA connection manager at which rank 0 is reached; rank r is reached r above. 0 for any.
     * @param queuePairs Connections to each rank; a thread uses one of them.
     * @param depth Work requests that a connection has under way, at least 64.
     * @param atomicReadBytes How many aligned bytes of one read the device delivers whole, 8 to 64, if its vendor says so.
     * @param readsInOrder Whether the device executes reads of one connection in their order, if its vendor says so.
     * @param addresses Where each rank listens (host:port, in the order of ranks), for several hosts without a membership; instead of device, port and
     * host.
     * @param secret Text that each process proves to know before it is let in, 32 bytes or more, the same at every
     * process. What is sent afterwards is not encrypted. By default none.
     * @param previousSecrets Secrets that are known as well while the secret is changed process by process, at most
     * two.
     */
    public record VerbsSettings(@Nullable String device, @DefaultValue("1") int devicePort, @Nullable Integer gidIndex,
            @Nullable String host, @DefaultValue("0") int port, @DefaultValue("2") int queuePairs,
            @DefaultValue("256") int depth, @Nullable Integer atomicReadBytes, @Nullable Boolean readsInOrder,
            @DefaultValue List<String> addresses, @Nullable String secret,
            @DefaultValue List<String> previousSecrets) {

        /** All but the secrets, for messages. */
        @Override
        public String toString() {
            return "device=" + device + ", device-port=" + devicePort + ", gid-index=" + gidIndex + ", host=" + host
                    + ", port=" + port + ", queue-pairs=" + queuePairs + ", depth=" + depth + ", atomic-read-bytes="
                    + atomicReadBytes + ", reads-in-order=" + readsInOrder + ", addresses=" + addresses;
        }
    }

    /** @param size Memory that this rank offers, the same at every rank; whole pages of 4 KiB. */
    public record SegmentSettings(@DefaultValue("64MB") DataSize size) {}

    /** @param type Who finds the other ranks and says who has left. */
    public record MembershipSettings(@DefaultValue("one-host") MembershipType type,
            @DefaultValue HazelcastMembers hazelcast) {}

    /** Who finds the other ranks. */
    public enum MembershipType {
        /** The fabric itself, which sees all processes of its host, and by RDMA those of a list of addresses. Needs nothing else. */
        ONE_HOST,
        /** Members of a Hazelcast cluster that shares nothing but the list of its members. */
        HAZELCAST
    }

    /**
     * With neither addresses nor a service nor a multicast group, all processes are looked for on this host.
     *
     * @param bindAddress IP address that this process listens at, or 0.0.0.0. Without a secret, any process of Atoll that reaches the address can take part.
     * @param port First port that is tried, of as many as the world has ranks and a few more.
     * @param addresses Hosts, or hosts with ports, of the processes of the world.
     * @param kubernetesService Full name of the headless service of the processes' pods.
     * @param heartbeatInterval How often a process says that it lives, in whole seconds.
     * @param heartbeatTimeout After how long a silence a process counts as gone, in whole seconds.
     * @param clusterName Name of the Hazelcast cluster, the same at every process; processes of another name are not met.
     * @param secret Text that each process proves to know before anything else is read from a connection, 16 characters or more, the same at every process. By default none.
     */
    public record HazelcastMembers(@DefaultValue("127.0.0.1") String bindAddress, @DefaultValue("5701") int port,
            @Nullable List<String> addresses, @Nullable String kubernetesService,
            @Nullable MulticastGroup multicast, @DefaultValue("1s") Duration heartbeatInterval,
            @DefaultValue("5s") Duration heartbeatTimeout, @DefaultValue("atoll") String clusterName,
            @DefaultValue("") String secret) {

        /** All but the secret, for messages. */
        @Override
        public String toString() {
            return "bind-address=" + bindAddress + ", port=" + port + ", addresses=" + addresses
                    + ", kubernetes-service=" + kubernetesService + ", multicast=" + multicast
                    + ", heartbeat-interval=" + heartbeatInterval + ", heartbeat-timeout=" + heartbeatTimeout
                    + ", cluster-name=" + clusterName;
        }
    }

    /**
     * @param group Multicast group in which the processes look for each other.
     * @param port Port of the group.
     */
    public record MulticastGroup(@DefaultValue("224.2.2.3") String group, @DefaultValue("54327") int port) {}
}
