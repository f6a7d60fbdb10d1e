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
 * The settings of this process and of the world that it takes part in.
 *
 * @param enabled True to let the application take part in a world.
 */
@ConfigurationProperties("atoll")
public record AtollProperties(@DefaultValue("true") boolean enabled, @DefaultValue WorldSettings world,
        @DefaultValue FabricSettings fabric, @DefaultValue SegmentSettings segment,
        @DefaultValue MembershipSettings membership, @DefaultValue EpochProperties epochs,
        @DefaultValue CollectiveProperties collectives, @DefaultValue CodecProperties codec,
        @DefaultValue HistoryProperties history) {

    /**
     * @param enabled True to keep this rank's last ten minutes in its segment, for the console of any rank. Takes about
     * 240 KiB.
     */
    public record HistoryProperties(@DefaultValue("true") boolean enabled) {}

    /**
     * @param allowedClasses Classes whose objects may be stored and read: com.example.Order for one class,
     * com.example.* for a whole package. Numbers, texts, dates and collections are always allowed. Objects of these
     * classes need com.esotericsoftware:kryo on the class path.
     */
    public record CodecProperties(@DefaultValue List<String> allowedClasses) {}

    /**
     * @param tokens How many threads of a process can use the epoch manager at the same time. Must be the same at every
     * process.
     * @param reclaimEvery Number of retirements after which a token tries to reclaim by itself. 0 means never.
     * @param reclaimInterval How often a background thread tries to reclaim. 0 means never.
     * @param pinLimit How long a token may stay pinned. Health and console name each token that is pinned for longer.
     */
    public record EpochProperties(@DefaultValue("256") int tokens, @DefaultValue("0") int reclaimEvery,
            @DefaultValue("0s") Duration reclaimInterval, @DefaultValue("10s") Duration pinLimit) {}

    /**
     * @param algorithm Algorithm by which this process broadcasts. Defaults to the one that should be faster by the
     * costs of sending.
     * @param windowSize Memory of a broadcast's window at each member, unless the program sets another size. Must be
     * the same at every process.
     * @param roomSize Amount of data that an exchange lays down at once, unless the program sets another size. At most
     * 32 KiB. Must be the same at every process.
     * @param pollInterval How long the thread that passes broadcasts on sleeps at most between two looks. A longer
     * interval takes less processor time, but the first broadcast after a while waits longer.
     * @param flushInterval How long a thread that waits for a broadcast to be complete sleeps at most between two
     * looks. From 0, which means that it never sleeps, to 1.28 ms. At first it spins.
     * @param costs Costs of sending, as 'bench loggp' measures them. Must be the same at every process. Defaults to
     * about the costs of the fabric.
     */
    public record CollectiveProperties(@Nullable Algorithm algorithm, @DefaultValue("1MB") DataSize windowSize,
            @DefaultValue("16KB") DataSize roomSize,
            @DefaultValue("200us") Duration pollInterval, @DefaultValue("1ms") Duration flushInterval,
            @Nullable CostProperties costs) {}

    /**
     * The parameters of the LogGP model, in nanoseconds.
     *
     * @param latency L: how long a message is under way.
     * @param overhead o: how long the sender is busy with a message.
     * @param gap g: the time between two messages of one sender.
     * @param gapPerByte G: the time between two bytes of one message.
     * @param receiveOverhead o_r: the time until the thread that passes a broadcast on sees it.
     */
    public record CostProperties(double latency, double overhead, double gap, double gapPerByte,
            double receiveOverhead) {}

    /**
     * @param name Name of the world. Must be the same at all its processes. Defaults to 'spring.application.name', else
     * to 'atoll'.
     * @param size Number of ranks, that is processes, with which the world is founded.
     * @param maxSize Number of ranks that the world may ever have, at most 4096. Must be the same at all its processes.
     * Defaults to 64, or to the size if that is larger.
     * @param rank Rank of this process, from 0. Defaults to the pod's ordinal, SLURM_PROCID, PMI_RANK, or the first
     * rank that is free on this host.
     * @param joinTimeout How long the first use of a structure waits for missing ranks.
     * @param operationTimeout How long an operation waits for another rank that is alive and has begun an operation,
     * but makes no progress.
     * @param rejoin True to let this process join again by itself after the others have removed it. They do so if they
     * do not hear it. Otherwise it stays out until it is restarted.
     */
    public record WorldSettings(@Nullable String name, @DefaultValue("1") int size, @Nullable Integer maxSize,
            @Nullable Integer rank, @DefaultValue("30s") Duration joinTimeout,
            @DefaultValue("10s") Duration operationTimeout, @DefaultValue("true") boolean rejoin) {}

    /**
     * @param type How ranks reach each other's memory: shared-memory, tcp or rdma. The value verbs is an alias of
     *     rdma.
     * @param delay Time added to every round trip, to show on one host what a network does. It is also added where a
     * rank reaches its own memory through the fabric. For experiments.
     * @param delayNanosPerByte Nanoseconds added for each byte that is moved. For experiments.
     */
    public record FabricSettings(@DefaultValue("shared-memory") String type,
            @DefaultValue("0ns") Duration delay, @DefaultValue("0") double delayNanosPerByte,
            @DefaultValue SharedMemorySettings sharedMemory, @DefaultValue TcpSettings tcp,
            @DefaultValue RdmaSettings rdma) {}

    /**
     * @param folder Folder of the segments' files. It must be in memory to be fast.
     * @param retain True to keep the files after the last process has ended, so that a later process finds the data.
     */
    public record SharedMemorySettings(@DefaultValue("/dev/shm") Path folder, @DefaultValue("false") boolean retain) {}

    /**
     * TCP between hosts, shared memory between processes of one host. The segments' files are in the folder of shared
     * memory.
     *
     * @param bind Address of this host to listen at. 0.0.0.0 means all addresses. Defaults to this rank's address in
     * the list of addresses, or to localhost without a list. An address that other hosts reach needs a secret or an SSL
     * bundle.
     * @param port Port at which rank 0 listens. Rank r listens at the port plus r. Defaults to this rank's port in the
     * list of addresses, or to any free port without a list. 0 means the default.
     * @param host Name or address by which other ranks reach this host. They resolve it each time they connect.
     * Defaults to the address at which this process listens. If it listens at all addresses, defaults to the name of
     * this host. A list of addresses takes the place of this property.
     * @param lanes Number of connections to each rank. A thread uses one of them.
     * @param silenceTimeout How long a connection may stay silent while an answer is due. After that time it counts as
     * broken.
     * @param connectTimeout How long the handshake on a new connection may take at both ends, encryption included. A
     * connection attempt to a host that does not answer at all ends after 2 s. For a rank that was reached before, it
     * ends after the silence timeout if that is shorter.
     * @param sameHost True to let ranks of one host reach each other by the memory that they share.
     * @param spin True to let a thread look for answers or requests for a while before it sleeps, as long as that pays.
     * It keeps a processor busy meanwhile.
     * @param secret Text that each process must prove to know before it is let in, 32 bytes or more. Must be the same
     * at every process. There is none by default.
     * @param previousSecrets Secrets that are also accepted while the secret is changed process by process. At most
     * two.
     * @param encrypt True to encrypt what ranks send, where they know a secret. Must be the same at every process.
     * @param security Set to 'none' to let in every process that reaches the port.
     * @param addresses Where others reach each rank: host:port, in the order of ranks. For several hosts without a
     * membership. Each rank also listens there, unless bind or port say otherwise.
     */
    public record TcpSettings(@Nullable String bind, @DefaultValue("0") int port,
            @Nullable String host, @DefaultValue("2") int lanes, @DefaultValue("5s") Duration silenceTimeout,
            @DefaultValue("10s") Duration connectTimeout, @DefaultValue("true") boolean sameHost,
            @DefaultValue("true") boolean spin, @Nullable String secret,
            @DefaultValue List<String> previousSecrets, @DefaultValue("true") boolean encrypt,
            @Nullable TcpSecurity security, @DefaultValue TcpCertificates ssl, @DefaultValue List<String> addresses) {

        /** Returns all settings but the secrets, for messages. */
        @Override
        public String toString() {
            return "bind=" + bind + ", port=" + port + ", host=" + host + ", lanes=" + lanes + ", silence-timeout="
                    + silenceTimeout + ", connect-timeout=" + connectTimeout + ", same-host=" + sameHost + ", spin="
                    + spin + ", encrypt=" + encrypt + ", security=" + security
                    + ", ssl=" + ssl + ", addresses=" + addresses;
        }
    }

    /** The value that takes the place of a secret or certificates. */
    public enum TcpSecurity {
        /** Every process that reaches the port is let in, and nothing is encrypted. */
        NONE
    }

    /**
     * @param bundle SSL bundle with this process's certificate and key, and with the authorities that it trusts. After
     * a reload, new connections use the new key.
     * @param peers Names of ranks. Each rank's certificate must have one of them as a subject alternative name. A *
     * matches any characters up to the next dot or slash. At the end of a URI it matches all that follows. A * alone
     * matches every name.
     */
    public record TcpCertificates(@Nullable String bundle, @DefaultValue List<String> peers) {}

    /**
     * RDMA: InfiniBand, RoCE or Soft-RoCE. The segments' files are in the folder of shared memory. Segments are pinned.
     *
     * @param device Name of the RDMA device as in /sys/class/infiniband, such as mlx5_0. Defaults to the first device
     * that has an address.
     * @param devicePort Port of the device, from 1.
     * @param gidIndex Entry of the port's GID table whose address is used. Defaults to the first entry with an IPv4
     * address.
     * @param host IP address by which the device is reached. Takes the place of the device and the GID index.
     * @param port Port of the RDMA connection manager at which rank 0 is reached. Rank r is reached at the port plus r.
     * 0 means any free port.
     * @param queuePairs Number of connections to each rank. A thread uses one of them.
     * @param depth Number of work requests that a connection can have under way, at least 64.
     * @param atomicReadBytes Number of aligned bytes of one read that the device delivers whole, from 8 to 64. Set it
     * only if the vendor of the device promises so.
     * @param readsInOrder True if the device executes the reads of one connection in their order. Set it only if the
     * vendor of the device promises so.
     * @param addresses Where each rank listens: host:port, in the order of ranks. For several hosts without a
     * membership. Takes the place of device, port and host.
     * @param secret Text that each process must prove to know before it is let in, 32 bytes or more. Must be the same
     * at every process. What ranks send afterwards is not encrypted. There is none by default.
     * @param previousSecrets Secrets that are also accepted while the secret is changed process by process. At most
     * two.
     */
    public record RdmaSettings(@Nullable String device, @DefaultValue("1") int devicePort, @Nullable Integer gidIndex,
            @Nullable String host, @DefaultValue("0") int port, @DefaultValue("2") int queuePairs,
            @DefaultValue("256") int depth, @Nullable Integer atomicReadBytes, @Nullable Boolean readsInOrder,
            @DefaultValue List<String> addresses, @Nullable String secret,
            @DefaultValue List<String> previousSecrets) {

        /** Returns all settings but the secrets, for messages. */
        @Override
        public String toString() {
            return "device=" + device + ", device-port=" + devicePort + ", gid-index=" + gidIndex + ", host=" + host
                    + ", port=" + port + ", queue-pairs=" + queuePairs + ", depth=" + depth + ", atomic-read-bytes="
                    + atomicReadBytes + ", reads-in-order=" + readsInOrder + ", addresses=" + addresses;
        }
    }

    /** @param size Memory that this rank offers, in whole pages of 4 KiB. Must be the same at every rank. */
    public record SegmentSettings(@DefaultValue("64MB") DataSize size) {}

    /** @param type The service that finds the other ranks and decides which of them have left. */
    public record MembershipSettings(@DefaultValue("one-host") MembershipType type,
            @DefaultValue HazelcastMembers hazelcast) {}

    /** The service that finds the other ranks. */
    public enum MembershipType {
        /**
         * The fabric itself. It sees all processes of its host. Over RDMA it also sees the ranks in a list of
         * addresses. Needs nothing else.
         */
        ONE_HOST,
        /** Members of a Hazelcast cluster. The cluster shares only the list of its members. */
        HAZELCAST
    }

    /**
     * If there are no addresses, no service and no multicast group, all processes are looked for on this host.
     *
     * @param bindAddress IP address at which this process listens, or 0.0.0.0. Without a secret, any Atoll process that
     * reaches the address can take part.
     * @param port First of the ports to try. There are as many of them as the world has ranks, and a few more.
     * @param addresses Hosts of the processes of the world, with or without ports.
     * @param kubernetesService Full name of the headless service of the processes' pods.
     * @param heartbeatInterval How often a process says that it is alive, in whole seconds.
     * @param heartbeatTimeout How long a process must be silent to count as gone, in whole seconds.
     * @param clusterName Name of the Hazelcast cluster. Must be the same at every process. Processes with another
     * cluster name are not met.
     * @param secret Text that each process must prove to know before anything else is read from its connection, 16
     * characters or more. Must be the same at every process. There is none by default.
     */
    public record HazelcastMembers(@DefaultValue("127.0.0.1") String bindAddress, @DefaultValue("5701") int port,
            @Nullable List<String> addresses, @Nullable String kubernetesService,
            @Nullable MulticastGroup multicast, @DefaultValue("1s") Duration heartbeatInterval,
            @DefaultValue("5s") Duration heartbeatTimeout, @DefaultValue("atoll") String clusterName,
            @DefaultValue("") String secret) {

        /** Returns all settings but the secret, for messages. */
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
